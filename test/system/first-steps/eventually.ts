import { setTimeout as pause } from 'node:timers/promises'

const WITHIN_MS = 60_000

/** Reads until the value is as expected, and returns it; throws with the last value after a minute. */
export async function eventually<T>(read: () => Promise<T>, isExpected: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + WITHIN_MS
  for (;;) {
    const value = await read()
    if (isExpected(value)) return value
    if (Date.now() > deadline) throw new Error(`Still ${JSON.stringify(value)} after ${WITHIN_MS / 1000} s`)
    await pause(200)
  }
}
