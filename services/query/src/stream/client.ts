import type { FeedOwner, Position } from '@herald/store'
import { encodeComment, encodeEvent, encodeRetry, type StreamEvent } from './event-format.ts'
import type { EventIds } from './event-id.ts'
import type { EndReason, StreamMetrics } from './metrics.ts'
import type { StreamOptions } from './options.ts'

const comment = Buffer.from(encodeComment('catching up'))

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
  readonly onEnd: (client: StreamClient, reason: EndReason) => void
}

export type StreamClient = ReturnType<typeof createStreamClient>

/**
 * One open stream, with its position, heartbeats, token expiry and limit of buffered bytes. The audience decides which
 * events it receives.
 */
export function createStreamClient(dependencies: ClientDependencies) {
  const { sink, ids, options, metrics } = dependencies
  const expiresAt = dependencies.expiresAt.getTime()
  let position = dependencies.position
  let ended = false
  let timer: NodeJS.Timeout | undefined
  let onDrain: (() => void) | undefined

  function end(reason: EndReason): void {
    ended = true
    clearTimeout(timer)
    onDrain?.()
    dependencies.onEnd(client, reason)
  }

  function fits(bytes: Buffer): boolean {
    return sink.writableLength + bytes.length <= options.maxBufferedBytes
  }

  /** Sends the reason if it fits, and ends. Destroys the connection if the reader does not consume it in time. */
  function finish(reason: EndReason, last: StreamEvent): void {
    if (ended) return
    const bytes = Buffer.from(encodeEvent(last))
    if (fits(bytes)) sink.write(bytes)
    end(reason)
    sink.end()
    setTimeout(() => sink.destroy(), options.farewellMs).unref()
  }

  function write(event: StreamEvent): void {
    if (ended) return
    const bytes = Buffer.from(encodeEvent(event))
    if (fits(bytes)) {
      sink.write(bytes)
      metrics.countEvent(event.event)
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
    /** Sends the time to wait before reconnecting. */
    start(): void {
      sink.on('close', () => ended || end('client'))
      sink.on('drain', () => onDrain?.())
      const { minRetryMs, maxRetryMs } = options
      sink.write(Buffer.from(encodeRetry(minRetryMs + Math.random() * (maxRetryMs - minRetryMs))))
      schedule()
    },
    /** Sends an event at a position, which becomes the client's position. */
    send(event: StreamEvent, at: Position): void {
      position = at
      if (!ended) write({ ...event, id: ids.seal(at) })
    },
    /** Sends an event without an id. */
    sendWithoutId: write,
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
