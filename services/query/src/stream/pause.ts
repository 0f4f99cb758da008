import { setTimeout as wait } from 'node:timers/promises'

/** The longest turn of the event loop in which changes are processed, which arrive in batches. */
export const maxTurnMs = 2

/** Waits, but no longer once `signal` aborts. Never throws. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal, ref: false }).catch(() => {})
}
