import { now } from '../clock.ts'
import { onSchedule } from '../load/schedule.ts'

/**
 * Calls `send` with the operations that are due, at a fixed rate that does not depend on how fast they are answered. Each
 * gets the intended time of its sending (by `now()`): latencies counted from it include the time that an overloaded system, or
 * this process, makes an operation wait.
 */
export function openLoop(
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
  send: (operations: readonly { readonly sequence: number; readonly intendedAt: number }[]) => void,
): Promise<void> {
  const schedule = { begin: now(), perSecond, first: 0, count: Math.floor(perSecond * seconds) }
  return onSchedule(schedule, send)
}
