import { existsSync, readFileSync } from 'node:fs'

/** Whether a process is running; a zombie is not. */
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
