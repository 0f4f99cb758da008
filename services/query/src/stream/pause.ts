import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'

/** Lets sockets be written to: what MongoDB has sent at once is otherwise worked off in one turn of the event loop. */
export async function breathe(): Promise<void> {
  await nextTurn()
}

/** A pause that grows with each failure in a row, jittered so that processes don't knock together. */
export function backoffMs(failures: number, { minPauseMs, maxPauseMs }: { minPauseMs: number; maxPauseMs: number }) {
  return Math.min(maxPauseMs, minPauseMs * 2 ** Math.min(failures, 20)) * (0.5 + Math.random() / 2)
}

/** Waits; not any longer when `signal` aborts. Never throws. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal, ref: false }).catch(() => {})
}
