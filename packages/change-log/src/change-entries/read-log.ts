import { limits } from '@herald/contracts'
import {
  continueAfter,
  examineNext,
  firstStepCount,
  inBatches,
  isPlain,
  leaveToOthers,
  nextCount,
  type PageSource,
  readAhead,
  readCandidates,
  responseBytes,
  type Scan,
  type Segment,
  scanNext,
  stepBytes,
} from '@herald/mongo'
import type { Binary } from 'mongodb'
import type { ChangeEntryDocument } from '../documents/change-entry-document.ts'

export type LogSteps = AsyncGenerator<readonly Buffer[], void, void>

type LogScan = Scan<ChangeEntryDocument>

export type LogSource = PageSource<ChangeEntryDocument> & {
  readonly step?: number | undefined
}

/** Larger entries that match a filter are read by key. */
const smallEntryBytes = 2 * 1024

/**
 * Reads a whole log in steps of about 1 MiB. Each step is its own query: a slow reader holds no cursor open, and entries
 * recorded meanwhile are newer than the position reached.
 */
export function readLog(log: LogSource, scan: LogScan): LogSteps {
  return isPlain(scan) ? readPlain(log, scan) : readFiltered(log, scan)
}

/** Each step continues behind the one before. */
async function* stepsOf<Step extends { readonly end: Binary | null }>(
  first: LogScan,
  read: (scan: LogScan, last?: Step) => Promise<Step>,
): AsyncGenerator<Step, void, void> {
  for (let step = await read(first); ; step = await read(continueAfter(first, step.end), step)) {
    yield step
    if (step.end === null) return
  }
}

async function* readPlain(log: LogSource, first: LogScan): LogSteps {
  const { collection, budgets, reader, maxDocumentBytes, step = limits.examinedPerStep } = log
  let count = Math.min(step, firstStepCount)
  const read = (scan: LogScan, last?: Segment) => {
    if (last) count = nextCount(count, last.found, step)
    const bounds = { count, bytes: stepBytes, atLeastOne: true }
    return budgets.bytes.within(reader, responseBytes(count, maxDocumentBytes), async () => {
      const startedAt = performance.now()
      const segment = await scanNext(collection, scan, bounds)
      // Further exports of this reader wait for the share meanwhile.
      if (!budgets.bytes.isAlone(reader)) await leaveToOthers(performance.now() - startedAt)
      return segment
    })
  }
  for await (const { found } of readAhead(stepsOf<Segment>(first, read))) if (found.length > 0) yield found
}

/** Examines each entry once and reads the matches in groups of about 1 MiB. */
async function* readFiltered(log: LogSource, first: LogScan): LogSteps {
  const { collection, budgets, reader, step = limits.examinedPerStep } = log
  const bounds = { count: step, smallBytes: smallEntryBytes }
  const read = (scan: LogScan) => budgets.scans.within(reader, 1, () => examineNext(collection, scan, bounds))
  for await (const { candidates } of readAhead(stepsOf(first, read))) {
    for (const group of inBatches(candidates, Infinity, { bytes: stepBytes, sizeOf: ({ size }) => size })) {
      const found = await budgets.bytes.within(reader, stepBytes, () => readCandidates(collection, first, group))
      if (found.length > 0) yield found
    }
  }
}
