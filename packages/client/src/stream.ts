import { createParser } from 'eventsource-parser'
import { bodyText } from './body-text.ts'
import { HeraldProblem } from './errors.ts'
import type { CallOptions, Http, OpenAnswer } from './http.ts'
import { pause } from './pause.ts'
import { backoffMs, canHelp } from './retry.ts'
import { decodeEvent, type Farewell, type FeedEvent, type LossReason } from './stream-events.ts'

export type { FeedEvent, LossReason } from './stream-events.ts'

export type FollowOptions = CallOptions & {
  /** Where to go on, from an event that was seen before; from now when not said. */
  readonly lastEventId?: string | undefined
}

export type StreamDependencies = {
  readonly http: Pick<Http, 'openOnce'>
  /** A connection on which nothing came for so long is given up. The server sends something every 15 s. */
  readonly silenceMs: number
  readonly minPauseMs: number
  readonly maxPauseMs: number
}

/** One that stood for so long was good: what comes after it is a first failure. */
const goodAfterMs = 10_000

/** Follows the stream over as many connections as it takes. */
export function createFollow({ http, silenceMs, minPauseMs, maxPauseMs }: StreamDependencies) {
  return async function* follow(options: FollowOptions = {}): AsyncGenerator<FeedEvent, never, undefined> {
    const { signal } = options
    let lastEventId = options.lastEventId
    let firstPauseMs = minPauseMs
    let failures = 0
    let reason: LossReason | undefined
    let token: string | undefined

    /** Reads one connection to its end. */
    async function* read(answer: OpenAnswer): AsyncGenerator<FeedEvent, Farewell | undefined, undefined> {
      let farewell: Farewell | undefined
      const events: FeedEvent[] = []
      const parser = createParser({
        onEvent({ id, event = 'message', data }) {
          lastEventId = id ?? lastEventId
          const decoded = decodeEvent(event, data)
          if (decoded && 'farewell' in decoded) farewell = decoded.farewell
          else if (decoded) events.push({ ...decoded.told, lastEventId })
        },
        onRetry(milliseconds) {
          firstPauseMs = milliseconds
        },
      })
      for await (const text of bodyText(answer, silenceMs)) {
        parser.feed(text)
        yield* events.splice(0)
      }
      return farewell
    }

    async function* connect(): AsyncGenerator<FeedEvent, Farewell | undefined, undefined> {
      const position = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
      const call = { path: '/notifications/stream', headers: { accept: 'text/event-stream', ...position }, signal }
      const answer = await http.openOnce(call, reason === 'expired' ? token : undefined)
      token = answer.token
      const openedAt = Date.now()
      try {
        yield { type: 'open', lastEventId }
        return yield* read(answer)
      } finally {
        answer.deadline.end()
        if (Date.now() - openedAt >= goodAfterMs) failures = 0
      }
    }

    function pauseAfter(error: unknown): number {
      failures++
      if (error instanceof HeraldProblem && error.retryAfterMs !== undefined) return error.retryAfterMs
      if (failures > 1) return backoffMs(failures, { minPauseMs: firstPauseMs, maxPauseMs })
      // That a token expires is nobody's trouble.
      return reason === 'expired' ? 0 : firstPauseMs
    }

    for (;;) {
      let error: unknown
      try {
        reason = (yield* connect()) ?? 'connection'
      } catch (caught) {
        signal?.throwIfAborted()
        // A user may have too many streams open, which mends; other refusals do not.
        if (caught instanceof HeraldProblem && !canHelp(caught)) throw caught
        reason = caught instanceof HeraldProblem ? 'refused' : 'connection'
        error = caught
      }
      const retryInMs = pauseAfter(error)
      yield { type: 'lost', reason, retryInMs, error, lastEventId }
      await pause(retryInMs, signal)
    }
  }
}
