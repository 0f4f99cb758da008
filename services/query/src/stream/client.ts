import type { FeedOwner } from '@herald/feed'
import type { Position } from '@herald/store'
import { encodeEvent, encodeRetry, type StreamEvent } from './event-format.ts'
import type { EventIds } from './event-id.ts'
import type { EndReason, StreamMetrics } from './metrics.ts'
import type { StreamOptions } from './options.ts'

/** The bytes of an event, which all its readers share. */
export type EncodedEvent = { readonly name: string; readonly bytes: Buffer }

const encode = (event: StreamEvent): EncodedEvent => ({ name: event.event, bytes: Buffer.from(encodeEvent(event)) })

/** Parsers skip a comment, which is a line of the next event's block. */
const comment = Buffer.from(': catching up\n')

/** The parts of an HTTP response that a client needs. */
export type Sink = {
  write(bytes: Buffer): boolean
  end(): unknown
  destroy(): unknown
  /** Bytes buffered in this process. */
  readonly writableLength: number
  on(event: 'drain' | 'close', listener: () => void): unknown
}

export type ClientDependencies = {
  readonly sink: Sink
  readonly owner: FeedOwner
  readonly ownerKey: string
  readonly ids: EventIds
  readonly expiresAt: Date
  /** Everything up to this position has been sent. */
  readonly position: Position
  readonly options: StreamOptions
  readonly metrics: Pick<StreamMetrics, 'countEvent'>
  readonly now: () => number
  /** Called for each heartbeat. Returns the position up to which all was sent, `undefined` while catching up. */
  readonly reached: (client: StreamClient) => Position | undefined
  /** Called when the number of waiting bytes may have changed. */
  readonly onChange: (client: StreamClient) => void
  readonly onEnd: (client: StreamClient, reason: EndReason) => void
}

export type StreamClient = ReturnType<typeof createStreamClient>

/** An open stream: its position, heartbeats, token expiry and buffered bytes. The audience decides what it receives. */
export function createStreamClient(dependencies: ClientDependencies) {
  const { sink, options, metrics } = dependencies
  let { ids } = dependencies
  const expiresAt = dependencies.expiresAt.getTime()
  let position = dependencies.position
  let ended = false
  let timer: NodeJS.Timeout | undefined
  let onDrain: (() => void) | undefined
  /** Sent with the first event. */
  let retry: Buffer | undefined

  function end(reason: EndReason): void {
    ended = true
    clearTimeout(timer)
    onDrain?.()
    dependencies.onEnd(client, reason)
  }

  function fits(bytes: Buffer): boolean {
    return sink.writableLength + bytes.length <= options.maxBufferedBytes
  }

  function put(bytes: Buffer): void {
    sink.write(retry === undefined ? bytes : Buffer.concat([retry, bytes]))
    retry = undefined
  }

  /** Sends the reason if it fits, and ends. Destroys the connection if the reader does not consume it in time. */
  function finish(reason: EndReason, last: StreamEvent): void {
    if (ended) return
    const bytes = Buffer.from(encodeEvent(last))
    if (fits(bytes)) put(bytes)
    end(reason)
    sink.end()
    setTimeout(() => sink.destroy(), options.farewellMs).unref()
  }

  function write({ name, bytes }: EncodedEvent): void {
    if (ended) return
    if (fits(bytes)) {
      put(bytes)
      metrics.countEvent(name)
      dependencies.onChange(client)
    } else client.cutOff()
  }

  /** A heartbeat means that the client is up to date; until then, a comment keeps the connection in use. */
  function sendHeartbeat(): void {
    const reached = dependencies.reached(client)
    if (reached !== undefined) client.send({ event: 'heartbeat', data: '{}' }, reached)
    else if (fits(comment)) sink.write(comment)
  }

  function beat(): void {
    if (dependencies.now() < expiresAt) {
      sendHeartbeat()
      schedule()
    } else finish('expired', { event: 'expired', data: '{}' })
  }

  function schedule(): void {
    if (ended) return
    const untilExpiry = Math.max(0, expiresAt - dependencies.now())
    timer = setTimeout(beat, Math.min(options.heartbeatMs, untilExpiry)).unref()
  }

  const client = {
    owner: dependencies.owner,
    ownerKey: dependencies.ownerKey,
    get position() {
      return position
    },
    get ended() {
      return ended
    },
    /** Whether enough bytes are buffered to hold further ones back where possible. */
    get congested() {
      return sink.writableLength > options.maxCatchUpBytes
    },
    start(): void {
      sink.on('close', () => ended || end('client'))
      sink.on('drain', () => {
        onDrain?.()
        if (!ended) dependencies.onChange(client)
      })
      const { minRetryMs, maxRetryMs } = options
      retry = Buffer.from(encodeRetry(minRetryMs + Math.random() * (maxRetryMs - minRetryMs)))
      schedule()
    },
    get waitingBytes() {
      return ended ? 0 : sink.writableLength
    },
    /** Later events have ids of another key. */
    useIds(next: EventIds): void {
      ids = next
    },
    /** Encodes an event at a position, for all clients of the same owner. */
    encode: (event: StreamEvent, at: Position) => encode({ ...event, id: ids.seal(at) }),
    /** Sends an encoded event at a position, which becomes the client's position. */
    sendEncoded(event: EncodedEvent, at: Position): void {
      position = at
      write(event)
    },
    send: (event: StreamEvent, at: Position) => client.sendEncoded(client.encode(event, at), at),
    sendWithoutId: (event: StreamEvent) => write(encode(event)),
    /** Advances the position past changes that do not concern the client. */
    advanceTo(at: Position): void {
      if (at > position) position = at
    },
    cutOff: () => finish('too-slow', { event: 'cut-off', data: '{"reason":"too-slow"}' }),
    close: () => finish('closing', { event: 'closing', data: '{}' }),
    /** Waits until the buffered bytes are sent; a reader that takes too long is disconnected. */
    async drained(): Promise<void> {
      if (ended || !client.congested) return
      const drained = Promise.withResolvers<void>()
      const limit = setTimeout(client.cutOff, options.drainMs).unref()
      onDrain = drained.resolve
      await drained.promise
      onDrain = undefined
      clearTimeout(limit)
    },
  }
  return client
}
