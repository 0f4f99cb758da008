import { limits } from '@herald/contracts'
import type { Binary, Filter } from 'mongodb'
import { maxResponseBytes } from './read-budget.ts'

export type Keyed = { _id: Binary }

/** The documents to read, newest first. */
export type Scan<T> = {
  /** Served by an index: a range of `_id`, and equalities on the fields that precede it in the index. */
  readonly indexed: Filter<T> & { _id: { $gte: Binary; $lt?: Binary; $lte?: Binary } }
  /** Applied to each document in that range. */
  readonly filter: Filter<T>
}

/** Whether an index serves the whole scan. */
export const isPlain = ({ filter }: { readonly filter: object }) => Object.keys(filter).length === 0

/** With a filter, MongoDB sends at most twice the bytes of a page: small documents at once, large ones by key. */
const filteredBytes = 2 * limits.pageBytes

/** The bytes that MongoDB may send for the next `count` documents. */
export function responseBytes(scan: { readonly filter: object }, count: number, maxDocumentBytes: number): number {
  return isPlain(scan) ? Math.min(maxResponseBytes, count * maxDocumentBytes) : filteredBytes
}

/** The rest of a scan after `end`. */
export function continueAfter<T>(scan: Scan<T>, end: Binary): Scan<T> {
  return { ...scan, indexed: { ...scan.indexed, _id: { $gte: scan.indexed._id.$gte, $lt: end } } }
}
