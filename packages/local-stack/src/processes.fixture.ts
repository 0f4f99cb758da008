import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Whether a process still runs; one that only waits for its parent to take note of its end does not. */
export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const stat = `/proc/${pid}/stat`
  if (!existsSync(stat)) return true
  try {
    return readFileSync(stat, 'utf8').split(') ')[1]?.[0] !== 'Z'
  } catch {
    return false
  }
}

/** Waits until something holds, and says what when it never does. */
export async function until(what: string, holds: () => boolean, withinMs = 15_000) {
  const deadline = Date.now() + withinMs
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`It never came to be that ${what}.`)
    await pause(20)
  }
}
