import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The memory of a process over time, in MiB. */
export type MemoryCurve = {
  samples: number[]
  /** The curve as a line of block characters. */
  text: string
  /** The medians of the fifth after the warm-up and of the last fifth. */
  from: number
  to: number
  isFlat: boolean
}

const everyMs = 1_000
const width = 60
const steps = '▁▂▃▄▅▆▇█'
const warmUp = 0.3
/** Tolerance for memory that is not collected yet. */
const toleratedMiB = 48

export function watchMemory(pids: readonly number[]) {
  const samples = pids.map(() => [] as number[])
  const timer = setInterval(() => {
    for (const [index, pid] of pids.entries()) samples[index]?.push(residentMiB(pid))
  }, everyMs)
  return {
    stop(): MemoryCurve[] {
      clearInterval(timer)
      return samples.map(curveOf)
    },
  }
}

function residentMiB(pid: number): number {
  try {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Math.round(Number(kilobytes) / 1_024)
  } catch {
    return Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024)
  }
}

function curveOf(samples: number[]): MemoryCurve {
  const part = (start: number, end: number) =>
    median(samples.slice(Math.floor(samples.length * start), Math.ceil(samples.length * end)))
  const from = part(warmUp, warmUp + 0.2)
  const to = part(0.8, 1)
  const highest = Math.max(1, ...samples)
  const points = Array.from({ length: width }, (_, index) => part(index / width, (index + 1) / width))
  const text = points.map((point) => steps[Math.min(7, Math.floor((point / highest) * 8))]).join('')
  return { samples, text, from, to, isFlat: to <= from * 1.2 + toleratedMiB }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
