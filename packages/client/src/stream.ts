import { createParser } from 'eventsource-parser'
import { bodyText } from './body-text.ts'
import { HeraldProblem } from './errors.ts'
import type { CallOptions, Http, OpenResponse } from './http.ts'
import { pause } from './pause.ts'
import { backoffMs } from './retry.ts'
import { decodeEvent, type EndReason, type FeedEvent, type LossReason } from './stream-events.ts'

export type { FeedEvent, LossReason } from './stream-events.ts'

export type FollowOptions = CallOptions & {
  /** Position to resume after, from an earlier event; the stream starts from now if unset. */
  readonly lastEventId?: string | undefined
  /**
   * Shares one connection with the other tabs of the same user and base URL. Where the browser cannot (it needs Web Locks and
   * BroadcastChannel, and so a secure context), the stream is `lost` at once: poll.
   */
  readonly shared?: boolean | undefined
}

export type StreamDependencies = {
  readonly http: Pick<Http, 'openOnce'>
  /** Milliseconds of silence after which a connection is closed. The server sends a heartbeat every 15 s. */
  readonly silenceMs: number
  readonly minPauseMs: number
  readonly maxPauseMs: number
  readonly closed: AbortSignal
}

/** A longer `Retry-After` is not waited for. */
const maxRetryAfterMs = 35_000

/** A connection that lasted this long resets the count of failures. */
const goodAfterMs = 10_000

/** Follows the stream across reconnects. */
export function createFollow({ http, silenceMs, minPauseMs, maxPauseMs, closed }: StreamDependencies) {
  return async function* follow(options: FollowOptions = {}): AsyncGenerator<FeedEvent, never, undefined> {
    const signal = options.signal ? AbortSignal.any([closed, options.signal]) : closed
    let lastEventId = options.lastEventId
    let firstPauseMs = minPauseMs
    let failures = 0
    let reason: LossReason | undefined
    let token: string | undefined

    /** Reads one connection to its end. */
    async function* read(opened: OpenResponse): AsyncGenerator<FeedEvent, EndReason | undefined, undefined> {
      let endReason: EndReason | undefined
      const events: FeedEvent[] = []
      const parser = createParser({
        onEvent({ id, event = 'message', data }) {
          lastEventId = id ?? lastEventId
          const decoded = decodeEvent(event, data)
          if (decoded && 'reason' in decoded) endReason = decoded.reason
          else if (decoded) events.push({ ...decoded.event, lastEventId })
        },
        onRetry(milliseconds) {
          firstPauseMs = milliseconds
        },
      })
      for await (const text of bodyText(opened, silenceMs)) {
        parser.feed(text)
        yield* events.splice(0)
      }
      return endReason
    }

    async function* connect(): AsyncGenerator<FeedEvent, EndReason | undefined, undefined> {
      const position = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
      const call = { path: '/notifications/stream', headers: { accept: 'text/event-stream', ...position }, signal }
      const opened = await http.openOnce(call, reason === 'expired' ? token : undefined)
      token = opened.token
      const openedAt = Date.now()
      try {
        yield { type: 'open', lastEventId }
        return yield* read(opened)
      } finally {
        opened.deadline.end()
        if (Date.now() - openedAt >= goodAfterMs) failures = 0
      }
    }

    function pauseAfter(error: unknown): number {
      failures++
      const requestedMs = error instanceof HeraldProblem ? error.retryAfterMs : undefined
      if (requestedMs !== undefined) return Math.min(requestedMs, maxRetryAfterMs)
      if (failures > 1) return backoffMs(failures, { minPauseMs: firstPauseMs, maxPauseMs })
      // Token expiry is expected.
      return reason === 'expired' ? 0 : firstPauseMs
    }

    for (;;) {
      let error: unknown
      try {
        reason = (yield* connect()) ?? 'connection'
      } catch (caught) {
        signal.throwIfAborted()
        // Time may cure each of them: whoever is in the path may have sent it.
        reason = caught instanceof HeraldProblem ? 'refused' : 'connection'
        error = caught
      }
      const retryInMs = pauseAfter(error)
      yield { type: 'lost', reason, retryInMs, error, lastEventId }
      await pause(retryInMs, signal)
    }
  }
}
