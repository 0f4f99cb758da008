import { readFileSync, writeFileSync } from 'node:fs'

/** Resets the peak resident size of a process. */
export const resetPeak = (pid: number) => writeFileSync(`/proc/${pid}/clear_refs`, '5')

/** The largest resident size of a process since its start or the last reset. */
export function peakMiB(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1_024)
}
