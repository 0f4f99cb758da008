import { setImmediate } from 'node:timers/promises'
import { limits } from '@herald/contracts'
import { examineNext, readCandidates } from '../reading/filtered-scan.ts'
import type { Source } from '../reading/find-bytes.ts'
import type { ReadBudget } from '../reading/read-budget.ts'
import { continueAfter, isPlain, responseBytes, type Scan } from '../reading/scan.ts'
import { scanNext } from '../reading/scan-next.ts'
import { splitBySize } from '../reading/split-by-size.ts'
import type { ChangeEntryDocument } from './change-entry-document.ts'

/** Documents as bytes. */
export type LogSteps = AsyncGenerator<readonly Buffer[], void, void>

type LogScan = Scan<ChangeEntryDocument>

export type LogSource = {
  readonly source: Source<ChangeEntryDocument>
  readonly budget: ReadBudget
  readonly maxEntryBytes: number
  /** The maximum number of entries in a step. */
  readonly step?: number | undefined
}

const stepBytes = 1024 * 1024
/** Small, because the size of the entries is not known yet. */
const firstStepEntries = 4
const stepGrowth = 8
/** Larger entries that match a filter are read by key. */
const smallEntryBytes = 2 * 1024

/**
 * Reads a whole log in steps of about 1 MiB. Each step is its own query: a slow reader holds no cursor open, and entries
 * recorded meanwhile are newer than the position reached.
 */
export function readLog(log: LogSource, scan: LogScan): LogSteps {
  return isPlain(scan) ? readPlain(log, scan) : readFiltered(log, scan)
}

/** Prevents an unhandled rejection while the reader is busy; the rejection is thrown when the promise is awaited. */
function prefetch<Result>(pending: Promise<Result>): Promise<Result> {
  pending.catch(() => {})
  return pending
}

/** Reads one step ahead, so that MongoDB and the reader do not wait for each other. */
async function* readPlain(log: LogSource, first: LogScan): LogSteps {
  const { source, budget, maxEntryBytes, step = limits.examinedPerStep } = log
  let count = Math.min(step, firstStepEntries)
  const request = (scan: LogScan) => {
    const bounds = { count, bytes: stepBytes, atLeastOne: true }
    return prefetch(budget.within(responseBytes(scan, count, maxEntryBytes), () => scanNext(source, scan, bounds)))
  }
  for (let pending = request(first); ; ) {
    const { found, end } = await pending
    if (end !== null) {
      count = nextCount(count, found, step)
      pending = request(continueAfter(first, end))
      // Lets the driver send the command before the reader blocks the event loop.
      await setImmediate()
    }
    if (found.length > 0) yield found
    if (end === null) return
  }
}

/** Examines each entry once and reads the matches in groups of about 1 MiB. */
async function* readFiltered(log: LogSource, first: LogScan): LogSteps {
  const { source, budget, step = limits.examinedPerStep } = log
  const bounds = { count: step, smallBytes: smallEntryBytes }
  const request = (scan: LogScan) =>
    prefetch(budget.within(step * smallEntryBytes, () => examineNext(source, scan, bounds)))
  for (let pending = request(first); ; ) {
    const { candidates, end } = await pending
    if (end !== null) {
      pending = request(continueAfter(first, end))
      await setImmediate()
    }
    for (const group of splitBySize(candidates, stepBytes, ({ size }) => size)) {
      const found = await budget.within(stepBytes, () => readCandidates(source, first, group))
      if (found.length > 0) yield found
    }
    if (end === null) return
  }
}

/** The number of entries that fill a step if they are as large as the previous ones. */
function nextCount(count: number, found: readonly Buffer[], step: number): number {
  if (found.length === 0) return count
  const bytes = found.reduce((sum, document) => sum + document.length, 0)
  const fitting = Math.floor((stepBytes * found.length) / bytes)
  return Math.max(1, Math.min(step, count * stepGrowth, fitting))
}
