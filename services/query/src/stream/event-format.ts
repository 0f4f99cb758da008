/** An event of a stream (WHATWG HTML, 9.2): its name, its data as JSON, and the id to resume from. */
export type StreamEvent = { readonly event: string; readonly data: string; readonly id?: string | undefined }

const lineEnd = /\r\n|\r|\n/

/** The event as it goes over the wire, with the empty line that ends it. */
export function encodeEvent({ event, data, id }: StreamEvent): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`
  const dataLines = data
    .split(lineEnd)
    .map((line) => `data: ${line}\n`)
    .join('')
  return `${idLine}event: ${event}\n${dataLines}\n`
}

/** What parsers skip. */
export function encodeComment(text: string): string {
  return `: ${text}\n\n`
}

/** How many milliseconds a client waits before it connects again. */
export function encodeRetry(milliseconds: number): string {
  return `retry: ${Math.round(milliseconds)}\n\n`
}
