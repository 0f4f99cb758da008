import { setTimeout as pause } from 'node:timers/promises'

type Waiting = { within?: number; every?: number; what?: string }

/**
 * Asks again and again until `probe` gives something (neither `undefined` nor `false`), and returns that.
 * A probe that throws has not given anything yet; past the deadline its last error is the cause.
 */
export async function eventually<T>(probe: () => T | Promise<T>, { within = 30_000, every = 50, what }: Waiting = {}) {
  const deadline = Date.now() + within
  let last: unknown
  do {
    try {
      const found = await probe()
      if (found !== undefined && found !== false) return found as Exclude<T, undefined | false>
      last = undefined
    } catch (error) {
      last = error
    }
    await pause(every)
  } while (Date.now() < deadline)
  throw new Error(`Not within ${within} ms: ${what ?? probe}`, { cause: last })
}

/** Waits until the clock shows a later second than `timestamp`, so that a new time would look different. */
export const untilSecondAfter = (timestamp: string) =>
  eventually(() => Date.now() >= Date.parse(timestamp) + 1_000, { what: `the clock is past ${timestamp}` })
