export type BackoffOptions = {
  /** The longest pause after the first failure. */
  readonly minPauseMs: number
  readonly maxPauseMs: number
  readonly random?: () => number
}

/**
 * Returns how many milliseconds to wait after failures in a row, of which there were `failures` before this one. The pause
 * doubles up to the maximum and is drawn between half and all of it, which keeps processes from retrying simultaneously.
 */
export function backoffMs(failures: number, { minPauseMs, maxPauseMs, random = Math.random }: BackoffOptions): number {
  return Math.min(maxPauseMs, minPauseMs * 2 ** Math.min(failures, 20)) * (0.5 + random() / 2)
}
