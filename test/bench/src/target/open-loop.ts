import { setTimeout as pause } from 'node:timers/promises'

const tickMs = 5

/**
 * Calls `send` with the operations that are due, at a fixed rate that does not depend on how fast they are answered. Each
 * gets the intended time of its sending (by `performance.now()`): latencies counted from it include the time that an
 * overloaded system, or this process, makes an operation wait.
 */
export async function openLoop(
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
  send: (operations: readonly { readonly sequence: number; readonly intendedAt: number }[]) => void,
): Promise<void> {
  const total = Math.floor(perSecond * seconds)
  const begun = performance.now()
  const intendedAt = (sequence: number) => begun + (sequence * 1_000) / perSecond
  for (let next = 0; next < total; await pause(tickMs)) {
    const due = Math.min(total, Math.floor(((performance.now() - begun) / 1_000) * perSecond) + 1)
    const operations = []
    for (; next < due; next++) operations.push({ sequence: next, intendedAt: intendedAt(next) })
    if (operations.length > 0) send(operations)
  }
}
