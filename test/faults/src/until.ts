import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '@herald/test-servers'

export { pause }

/** Waits until `holds` returns true; an error counts as "not yet". The default is generous: the machine may be busy. */
export async function until(
  condition: string,
  holds: () => boolean | Promise<boolean>,
  { withinMs = 180_000, everyMs = 100 } = {},
): Promise<void> {
  await eventually(holds, { description: condition, within: withinMs, every: everyMs })
}
