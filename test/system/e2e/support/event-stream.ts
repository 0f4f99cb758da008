import { eventually } from '@herald/test-servers'

type StreamEvent = { event: string; data: unknown; id: string | undefined }

export type EventStream = {
  response: Response
  /** All events received so far. */
  events: readonly StreamEvent[]
  named(event: string): StreamEvent[]
  /** Waits for at least `count` events of that name. */
  until(event: string, count?: number): Promise<StreamEvent[]>
  /** The last id received, for `Last-Event-ID`. */
  lastId(): string
  close(): Promise<void>
}

/** Opens `GET /notifications/stream` and reads it (HTML standard, 9.2.6) until it is closed. */
export async function openEventStream(baseUrl: string, token: string, lastEventId?: string): Promise<EventStream> {
  const controller = new AbortController()
  const headers = { authorization: `Bearer ${token}`, ...(lastEventId ? { 'last-event-id': lastEventId } : {}) }
  const response = await fetch(`${baseUrl}/notifications/stream`, { headers, signal: controller.signal })
  const events: StreamEvent[] = []
  let rest = ''

  async function read() {
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (rest + text).split('\n\n')
      rest = blocks.pop() ?? ''
      events.push(...blocks.map(parse).filter((event) => event !== undefined))
    }
  }
  const reading = read().catch(() => {})

  const named = (name: string) => events.filter(({ event }) => event === name)
  return {
    response,
    events,
    named,
    async until(name, count = 1) {
      await eventually(() => named(name).length >= count, { description: `${count} stream events named ${name}` })
      return named(name)
    },
    lastId: () => events.findLast(({ id }) => id !== undefined)?.id ?? '',
    async close() {
      controller.abort()
      await reading
    },
  }
}

function parse(block: string): StreamEvent | undefined {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? []
    if (name !== '') fields.set(name, fields.has(name) ? `${fields.get(name)}\n${value}` : value)
  }
  const data = fields.get('data')
  if (data === undefined) return undefined
  return { event: fields.get('event') ?? 'message', data: JSON.parse(data), id: fields.get('id') }
}
