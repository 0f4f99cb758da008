import type { ChangeEntry, ChangeEntryPage } from './contract-types.ts'
import { HeraldProblem } from './errors.ts'
import { pause } from './pause.ts'
import { backoffMs, isRetryable } from './retry.ts'

/** Some entries in recorded order, and the cursor behind them. */
export type FollowedChanges = {
  readonly changeEntries: readonly ChangeEntry[]
  /** Store it together with the entries, and continue from it. */
  readonly cursor: string
  /** How far the order may be behind what is stored. */
  readonly lagSeconds: number
}

type FollowPauses = {
  /** Between two requests when there is nothing new. */
  readonly pollMs: number
  readonly minPauseMs: number
  readonly maxPauseMs: number
}

const pauses: FollowPauses = { pollMs: 1_000, minPauseMs: 500, maxPauseMs: 30_000 }

/** About ten minutes. */
const maxRefusals = 25

/** Whether a refusal is not Herald's own word, but a gateway's in a roll-out, or comes from a key that was just replaced. */
const mayPass = (error: unknown) => error instanceof HeraldProblem && (error.code === 'unknown' || error.status === 401)

type FollowPagesOptions = {
  readonly cursor: string | undefined
  readonly signal: AbortSignal | undefined
  readonly read: (cursor: string | undefined) => Promise<ChangeEntryPage['data']>
}

/** Yields pages of the recorded order, each with another cursor than the one before, until the signal aborts. */
export async function* followPages(options: FollowPagesOptions): AsyncGenerator<FollowedChanges, never, undefined> {
  const { signal, read } = options
  let cursor = options.cursor
  for (let failures = 0; ; ) {
    let pauseMs = pauses.pollMs
    try {
      const { changeEntries, nextCursor, lagSeconds = 0 } = await read(cursor)
      failures = 0
      if (nextCursor !== null && nextCursor !== cursor) {
        cursor = nextCursor
        yield { changeEntries, cursor, lagSeconds }
        continue
      }
    } catch (error) {
      signal?.throwIfAborted()
      failures++
      if (!isRetryable(error) && !(mayPass(error) && failures <= maxRefusals)) throw error
      const requestedMs = error instanceof HeraldProblem ? error.retryAfterMs : undefined
      pauseMs = requestedMs ?? backoffMs(failures, pauses)
    }
    await pause(pauseMs, signal)
  }
}
