import type { FeedOwner, Position } from '@herald/store'
import { encodeComment, encodeEvent, encodeRetry, type StreamEvent } from './event-format.ts'
import type { EventIds } from './event-id.ts'
import type { EndReason, StreamMetrics } from './metrics.ts'
import type { StreamOptions } from './options.ts'

const comment = Buffer.from(encodeComment('catching up'))

/** What a client's events are written to: of an HTTP answer just this. */
export type Sink = {
  write(bytes: Buffer): boolean
  end(): unknown
  destroy(): unknown
  /** Bytes that wait in this process. */
  readonly writableLength: number
  on(event: 'drain' | 'close', listener: () => void): unknown
}

export type ClientDependencies = {
  readonly sink: Sink
  readonly owner: FeedOwner
  readonly ownerKey: string
  readonly ids: EventIds
  readonly expiresAt: Date
  /** Up to where the client was told everything. */
  readonly position: Position
  readonly options: StreamOptions
  readonly metrics: Pick<StreamMetrics, 'countEvent'>
  readonly now: () => number
  /** Called at every heartbeat: up to where the client was told everything by now; `undefined` while he catches up. */
  readonly reached: (client: StreamClient) => Position | undefined
  readonly onEnd: (client: StreamClient, reason: EndReason) => void
}

export type StreamClient = ReturnType<typeof createStreamClient>

/**
 * One open stream. It keeps its position, its heartbeats, the time of its token and the bound of what waits for it; what
 * it is told is decided elsewhere.
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

  /** Says why, if there is room for it, and ends; who does not even take that in is cut off. */
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

  /** A heartbeat says that the client is up to date; until he is, a comment keeps the connection in use. */
  function sendHeartbeat(): void {
    const reached = dependencies.reached(client)
    if (reached !== undefined) client.tell({ event: 'heartbeat', data: '{}' }, reached)
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
    /** Whether so much waits for it that more should be held back, where that can be done. */
    get congested() {
      return sink.writableLength > options.maxCatchUpBytes
    },
    /** Begins with the time after which to come again. */
    start(): void {
      sink.on('close', () => ended || end('client'))
      sink.on('drain', () => onDrain?.())
      const { minRetryMs, maxRetryMs } = options
      sink.write(Buffer.from(encodeRetry(minRetryMs + Math.random() * (maxRetryMs - minRetryMs))))
      schedule()
    },
    /** Sends an event that stands at a position; that is the client's from now on. */
    tell(event: StreamEvent, at: Position): void {
      position = at
      if (!ended) write({ ...event, id: ids.seal(at) })
    },
    /** Sends an event that has no place in the order of changes. */
    mention: write,
    /** Nothing up to there concerns the client any more. */
    skipTo(at: Position): void {
      if (at > position) position = at
    },
    cutOff: () => finish('too-slow', { event: 'cut-off', data: '{"reason":"too-slow"}' }),
    close: () => finish('closing', { event: 'closing', data: '{}' }),
    /** Waits until what waits for the client is gone; who takes too long is cut off. */
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
