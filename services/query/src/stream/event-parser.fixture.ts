export type ParsedEvent = { readonly event: string; readonly data: string; readonly lastEventId: string }

/** Parses an event stream like a browser (WHATWG HTML, 9.2.6); accepts text in chunks of any size. */
export function createEventParser() {
  let rest = ''
  let event = ''
  let data: string[] = []
  let lastEventId = ''

  function takeLine(line: string): ParsedEvent | undefined {
    if (line === '') {
      const parsed = { event: event || 'message', data: data.join('\n'), lastEventId }
      const isDispatched = data.length > 0
      event = ''
      data = []
      return isDispatched ? parsed : undefined
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'event') event = value
    if (field === 'data') data.push(value)
    if (field === 'id' && !value.includes('\0')) lastEventId = value
    return undefined
  }

  return (text: string): ParsedEvent[] => {
    const lines = (rest + text).split(/\r\n|\n|\r/)
    rest = lines.pop() ?? ''
    return lines.flatMap((line) => takeLine(line) ?? [])
  }
}
