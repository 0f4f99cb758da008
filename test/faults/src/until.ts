import { setTimeout as pause } from 'node:timers/promises'

export { pause }

export class TimedOut extends Error {}

/** Waits until `holds` is true; one that throws has not come true yet. Generous by default: the machine may be busy. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  { withinMs = 180_000, everyMs = 100 } = {},
): Promise<void> {
  const deadline = Date.now() + withinMs
  let failure: unknown
  for (;;) {
    try {
      if (await holds()) return
      failure = undefined
    } catch (error) {
      failure = error
    }
    if (Date.now() > deadline) {
      throw new TimedOut(`Not within ${withinMs / 1000} s: ${what}`, { cause: failure })
    }
    await pause(everyMs)
  }
}
