import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'

/** Lets sockets write: changes that arrive in one batch are otherwise processed in one turn of the event loop. */
export async function letSocketsWrite(): Promise<void> {
  await nextTurn()
}

/** Waits, but no longer once `signal` aborts. Never throws. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal, ref: false }).catch(() => {})
}
