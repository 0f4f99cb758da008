import { HeraldConnectionError, HeraldProblem } from './errors.ts'

export type RetryOptions = {
  /** How often a call is sent again at most. */
  readonly retries: number
  /** The first pause in milliseconds; each further one is twice as long, and the half of each is drawn at random. */
  readonly minPauseMs: number
  readonly maxPauseMs: number
  /** A `Retry-After` that is longer is not waited for: the call fails, and the error has it. */
  readonly maxRetryAfterMs: number
}

export const retryDefaults: RetryOptions = {
  retries: 3,
  minPauseMs: 300,
  maxPauseMs: 5_000,
  maxRetryAfterMs: 60_000,
}

/** The pause after so many failures in a row, between the half of it and the whole. */
export function backoffMs(
  failures: number,
  { minPauseMs, maxPauseMs }: Pick<RetryOptions, 'minPauseMs' | 'maxPauseMs'>,
) {
  const whole = Math.min(maxPauseMs, minPauseMs * 2 ** (failures - 1))
  return whole / 2 + (Math.random() * whole) / 2
}

type Circumstances = RetryOptions & {
  readonly failures: number
  /** Whether nothing goes wrong if the call had its effect although it failed. */
  readonly repeatable: boolean
}

/** After how many milliseconds to try again; `undefined` when that is no use, or not wanted. */
export function pauseBefore(error: unknown, circumstances: Circumstances): number | undefined {
  const { failures, retries, repeatable, maxRetryAfterMs } = circumstances
  if (failures > retries || !canHelp(error, repeatable)) return undefined
  const asked = error instanceof HeraldProblem ? error.retryAfterMs : undefined
  if (asked === undefined) return backoffMs(failures, circumstances)
  // Not all at once when the time has come.
  return asked > maxRetryAfterMs ? undefined : asked + Math.random() * 250
}

/** Whether the same request may fare better another time. */
export function canHelp(error: unknown, repeatable = true): boolean {
  if (error instanceof HeraldConnectionError) return repeatable
  if (!(error instanceof HeraldProblem)) return false
  if (error.status === 429) return true
  return repeatable && (error.status === 408 || error.status >= 500 || error.code === 'request_in_progress')
}
