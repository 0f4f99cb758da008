import { setTimeout as pause } from 'node:timers/promises'

/** Polls until `probe` neither throws nor returns `false`, and returns its result. */
export async function eventually<T>(what: string, probe: () => Promise<T>, within = 120_000): Promise<T> {
  const deadline = Date.now() + within
  for (;;) {
    let last: unknown
    try {
      const found = await probe()
      if (found !== false) return found
    } catch (error) {
      last = error
    }
    if (Date.now() > deadline) throw new Error(`Not within ${within / 1_000} s: ${what}`, { cause: last })
    await pause(200)
  }
}
