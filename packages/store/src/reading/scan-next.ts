import type { Binary } from 'mongodb'
import { readKey } from '../wire/bson.ts'
import { examineNext, readCandidates } from './filtered-scan.ts'
import { findBytes, type Source } from './find-bytes.ts'
import { isPlain, type Keyed, type Scan } from './scan.ts'

/** Limits of the number and the bytes of the returned documents. */
export type Bounds = { readonly count: number; readonly bytes: number; readonly atLeastOne: boolean }

/** A part of a scan, each document as its bytes. */
export type Segment = {
  readonly found: readonly Buffer[]
  /** The key of the last document examined, `null` at the end of the range. */
  readonly end: Binary | null
  /** Whether the limit of bytes was reached: the next match is left for the next segment. */
  readonly isFull: boolean
}

/** Returns the next documents that match the filter, within bounds. With a filter, see {@link examineNext}. */
export function scanNext<T extends Keyed>(source: Source<T>, scan: Scan<T>, bounds: Bounds): Promise<Segment> {
  return isPlain(scan) ? scanPlain(source, scan, bounds) : scanFiltered(source, scan, bounds)
}

async function scanPlain<T extends Keyed>(source: Source<T>, { indexed }: Scan<T>, bounds: Bounds): Promise<Segment> {
  const { documents, isCut } = await findBytes(source, indexed, bounds.count)
  const fitting = countFitting(documents, ({ length }) => length, bounds)
  const isFull = fitting < documents.length
  // Copied, because all bytes share one buffer, which a part of them must not retain.
  const found = isFull ? documents.slice(0, fitting).map((bytes) => Buffer.from(bytes)) : documents
  const last = found.at(-1)
  const isEnd = !isCut && !isFull && documents.length < bounds.count
  return { found, end: isEnd || last === undefined ? null : readKey(last), isFull: isFull || isCut }
}

async function scanFiltered<T extends Keyed>(source: Source<T>, scan: Scan<T>, bounds: Bounds): Promise<Segment> {
  const smallBytes = Math.floor(bounds.bytes / bounds.count)
  const { candidates, end } = await examineNext(source, scan, { count: bounds.count, smallBytes })
  const fitting = countFitting(candidates, ({ size }) => size, bounds)
  const chosen = candidates.slice(0, fitting)
  const isFull = fitting < candidates.length
  return {
    found: await readCandidates(source, scan, chosen),
    end: isFull ? (chosen.at(-1)?.key ?? null) : end,
    isFull,
  }
}

/** The number of leading items that fit into the limit of bytes. */
function countFitting<T>(items: readonly T[], sizeOf: (item: T) => number, { bytes, atLeastOne }: Bounds): number {
  let sum = 0
  const firstExcess = items.findIndex((item) => {
    sum += sizeOf(item)
    return sum > bytes
  })
  return firstExcess === -1 ? items.length : Math.max(firstExcess, atLeastOne ? 1 : 0)
}
