import { createStreamClient, type StreamClient } from './client.ts'
import { createEventParser, type ParsedEvent } from './event-parser.fixture.ts'
import type { EndReason } from './metrics.ts'
import { type StreamOptions, streamDefaults } from './options.ts'

/** A client whose reader consumes everything or nothing; its event ids are the positions. */
export function createTestClient({
  position = '',
  owner = 'a',
  reads = true,
  expiresInMs = 3_600_000,
  isCatchingUp = false,
  options = {},
  onChange = () => {},
}: {
  position?: string
  owner?: string
  reads?: boolean
  expiresInMs?: number
  isCatchingUp?: boolean
  options?: Partial<StreamOptions>
  onChange?: (client: StreamClient) => void
} = {}) {
  const events: ParsedEvent[] = []
  const parse = createEventParser()
  const listeners = { drain: [] as (() => void)[], close: [] as (() => void)[] }
  const sink = {
    written: '',
    writableLength: 0,
    isEnded: false,
    isDestroyed: false,
    isReading: reads,
    write(bytes: Buffer) {
      sink.written += bytes.toString()
      events.push(...parse(bytes.toString()))
      if (!sink.isReading) sink.writableLength += bytes.length
      return sink.isReading
    },
    end: () => {
      sink.isEnded = true
    },
    destroy: () => {
      sink.isDestroyed = true
    },
    on: (event: 'drain' | 'close', listener: () => void) => void listeners[event].push(listener),
    drain() {
      sink.writableLength = 0
      for (const listener of listeners.drain) listener()
    },
    close() {
      for (const listener of listeners.close) listener()
    },
  }
  const ends: EndReason[] = []
  const client: StreamClient = createStreamClient({
    sink,
    owner: { subscriberId: owner, recipientId: owner },
    ownerKey: owner,
    ids: { seal: (at) => at, open: (id) => id },
    expiresAt: new Date(Date.now() + expiresInMs),
    position,
    options: { ...streamDefaults, ...options },
    metrics: { countEvent: () => {} },
    now: Date.now,
    reached: (own) => (isCatchingUp ? undefined : own.position),
    onChange,
    onEnd: (_, reason) => void ends.push(reason),
  })
  client.start()
  return { client, sink, events, ends, names: () => events.map(({ event }) => event) }
}
