import { setTimeout as wait } from 'node:timers/promises'

/** Waits, but no longer once `signal` aborts. Never throws, and does not keep the process alive. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal, ref: false }).catch(() => {})
}
