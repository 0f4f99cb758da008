import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'

/** Lets sockets write: changes that arrive in one batch are otherwise processed in one turn of the event loop. */
export async function letSocketsWrite(): Promise<void> {
  await nextTurn()
}

/** An exponential backoff with jitter, which keeps processes from retrying simultaneously. */
export function backoffMs(failures: number, { minPauseMs, maxPauseMs }: { minPauseMs: number; maxPauseMs: number }) {
  return Math.min(maxPauseMs, minPauseMs * 2 ** Math.min(failures, 20)) * (0.5 + Math.random() / 2)
}

/** Waits, but no longer once `signal` aborts. Never throws. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal, ref: false }).catch(() => {})
}
