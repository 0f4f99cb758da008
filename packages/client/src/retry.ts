import { HeraldConnectionError, HeraldProblem } from './errors.ts'

export type RetryOptions = {
  /** Maximum number of retries of a call. */
  readonly retries: number
  /** The first pause in milliseconds. Each further pause is twice as long, and half of each is randomized. */
  readonly minPauseMs: number
  readonly maxPauseMs: number
  /** If `Retry-After` is longer, the call fails at once, with the value in the error. */
  readonly maxRetryAfterMs: number
}

export const retryDefaults: RetryOptions = {
  retries: 3,
  minPauseMs: 300,
  maxPauseMs: 5_000,
  maxRetryAfterMs: 60_000,
}

/** Pause after a number of consecutive failures, randomized between half and full length. */
export function backoffMs(
  failures: number,
  { minPauseMs, maxPauseMs }: Pick<RetryOptions, 'minPauseMs' | 'maxPauseMs'>,
) {
  const whole = Math.min(maxPauseMs, minPauseMs * 2 ** (failures - 1))
  return whole / 2 + (Math.random() * whole) / 2
}

type Failure = RetryOptions & {
  readonly failures: number
  /** Whether the call may be repeated even if the failed attempt took effect. */
  readonly repeatable: boolean
}

/** Milliseconds to wait before the next attempt; `undefined` if the call must not or need not be retried. */
export function pauseBefore(error: unknown, failure: Failure): number | undefined {
  const { failures, retries, repeatable, maxRetryAfterMs } = failure
  if (failures > retries || !isRetryable(error, repeatable)) return undefined
  const requestedMs = error instanceof HeraldProblem ? error.retryAfterMs : undefined
  if (requestedMs === undefined) return backoffMs(failures, failure)
  // Randomized, so that clients do not retry at the same moment.
  return requestedMs > maxRetryAfterMs ? undefined : requestedMs + Math.random() * 250
}

/** Whether the same request may succeed later. */
export function isRetryable(error: unknown, repeatable = true): boolean {
  if (error instanceof HeraldConnectionError) return repeatable
  if (!(error instanceof HeraldProblem)) return false
  if (error.status === 429) return true
  return repeatable && (error.status === 408 || error.status >= 500 || error.code === 'request_in_progress')
}
