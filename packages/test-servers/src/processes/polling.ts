import { setTimeout as pause } from 'node:timers/promises'

export type PollOptions = {
  /** The expected condition, used in the error message. */
  description?: string
  /** Milliseconds until it gives up. */
  within?: number
  /** Milliseconds between two probes. */
  every?: number
}

/**
 * Calls `probe` until it returns something other than `undefined` or `false`, and returns that. An error thrown by the
 * probe counts as "not yet".
 *
 * @throws Error after the deadline; its cause is the last error of the probe
 */
export async function eventually<T>(
  probe: () => T | Promise<T>,
  { description, within = 90_000, every = 50 }: PollOptions = {},
): Promise<Exclude<T, undefined | false>> {
  const deadline = Date.now() + within
  let cause: unknown
  do {
    try {
      const found = await probe()
      if (found !== undefined && found !== false) return found as Exclude<T, undefined | false>
      cause = undefined
    } catch (error) {
      cause = error
    }
    await pause(every)
  } while (Date.now() < deadline)
  throw new Error(`Timed out after ${within / 1_000} s: ${description ?? probe}`, { cause })
}
