import { setTimeout as wait } from 'node:timers/promises'

/** Waits, but no longer once `signal` aborts. Never throws, and does not keep the process alive. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal, ref: false }).catch(() => {})
}

export type BackoffOptions = {
  /** The longest pause after the first failure. */
  readonly minPauseMs: number
  readonly maxPauseMs: number
  readonly random?: () => number
}

/** Milliseconds to wait after `failures` earlier ones in a row: doubled up to the maximum, and half of it random. */
export function backoffMs(failures: number, { minPauseMs, maxPauseMs, random = Math.random }: BackoffOptions): number {
  return Math.min(maxPauseMs, minPauseMs * 2 ** Math.min(failures, 20)) * (0.5 + random() / 2)
}
