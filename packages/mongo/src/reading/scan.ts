import { limits } from '@herald/contracts'
import type { Binary, Collection, Document, Filter } from 'mongodb'
import { asBuffer, readKey } from '../json/bson.ts'
import { eachAtOnce } from './each-at-once.ts'
import { findBytes } from './find-bytes.ts'
import { maxResponseBytes } from './read-budget.ts'
import { userReads } from './read-limits.ts'

export type Keyed = { _id: Binary }

export type Scan<T> = {
  /** Served by an index: a range of `_id`, and equalities on the fields that precede it in the index. */
  readonly indexed: Filter<T> & { _id: { $gte: Binary; $lt?: Binary; $lte?: Binary } }
  /** The name of that index, if it is not the collection itself. */
  readonly hint?: string | undefined
  /** Applied to each document in that range. */
  readonly filter: Filter<T>
}

export const isPlain = ({ filter }: { readonly filter: object }) => Object.keys(filter).length === 0

/** The bytes that MongoDB may send for the next `count` documents of a plain scan. */
export const responseBytes = (count: number, maxDocumentBytes: number) =>
  Math.min(maxResponseBytes, count * maxDocumentBytes)

export function continueAfter<T>(scan: Scan<T>, end: Binary): Scan<T> {
  return { ...scan, indexed: { ...scan.indexed, _id: { $gte: scan.indexed._id.$gte, $lt: end } } }
}

export type Bounds = { readonly count: number; readonly bytes: number; readonly atLeastOne: boolean }

export type Segment = {
  readonly found: readonly Buffer[]
  /** The key of the last document examined, `null` at the end of the range. */
  readonly end: Binary | null
  /** Whether the limit of bytes was reached: the next match is left for the next segment. */
  readonly isFull: boolean
}

/** Returns the next documents that match the filter, within bounds. With a filter, see {@link examineNext}. */
export function scanNext<T extends Keyed>(collection: Collection<T>, scan: Scan<T>, bounds: Bounds): Promise<Segment> {
  return isPlain(scan) ? scanPlain(collection, scan, bounds) : scanFiltered(collection, scan, bounds)
}

async function scanPlain<T extends Keyed>(
  collection: Collection<T>,
  { indexed, hint }: Scan<T>,
  bounds: Bounds,
): Promise<Segment> {
  const { documents, isCut } = await findBytes(collection, indexed, bounds.count, hint === undefined ? {} : { hint })
  const fitting = countFitting(documents, ({ length }) => length, bounds)
  const isFull = fitting < documents.length
  // Copied, because all bytes share one buffer, which a part of them must not retain.
  const found = isFull ? documents.slice(0, fitting).map((bytes) => Buffer.from(bytes)) : documents
  const last = found.at(-1)
  const isEnd = !isCut && !isFull && documents.length < bounds.count
  return { found, end: isEnd || last === undefined ? null : readKey(last), isFull: isFull || isCut }
}

async function scanFiltered<T extends Keyed>(
  collection: Collection<T>,
  scan: Scan<T>,
  bounds: Bounds,
): Promise<Segment> {
  const smallBytes = Math.floor(bounds.bytes / bounds.count)
  const { candidates, end } = await examineNext(collection, scan, { count: bounds.count, smallBytes })
  const fitting = countFitting(candidates, ({ size }) => size, bounds)
  const chosen = candidates.slice(0, fitting)
  const isFull = fitting < candidates.length
  return {
    found: await readCandidates(collection, scan, chosen),
    end: isFull ? (chosen.at(-1)?._id ?? null) : end,
    isFull,
  }
}

function countFitting<T>(items: readonly T[], sizeOf: (item: T) => number, { bytes, atLeastOne }: Bounds): number {
  let sum = 0
  const firstExcess = items.findIndex((item) => {
    sum += sizeOf(item)
    return sum > bytes
  })
  return firstExcess === -1 ? items.length : Math.max(firstExcess, atLeastOne ? 1 : 0)
}

/** A document that matches the filter; with its bytes only if it is small. In an array, where the driver leaves them undecoded. */
export type Candidate = { readonly _id: Binary; readonly size: number; readonly document: readonly Uint8Array[] }

export type Examined = {
  readonly candidates: readonly Candidate[]
  readonly end: Binary | null
}

/**
 * Examines the next {@link limits.examinedPerStep} documents and returns those that match, at most `count`.
 * One query returns both the matches and the last key, because a second one could see a changed collection. Its result
 * is one document of at most 16 MiB, so it contains documents up to `smallBytes`, and only key and size of larger ones.
 */
export async function examineNext<T extends Keyed>(
  collection: Collection<T>,
  { indexed, filter, hint }: Scan<T>,
  { count, smallBytes }: { readonly count: number; readonly smallBytes: number },
): Promise<Examined> {
  const size = { $bsonSize: '$$ROOT' }
  const candidate = { size, document: { $cond: [{ $lte: [size, smallBytes] }, ['$$ROOT'], []] } }
  const pipeline: Document[] = [
    { $match: indexed },
    { $sort: { _id: -1 } },
    { $limit: limits.examinedPerStep },
    {
      $facet: {
        found: [{ $match: filter }, { $limit: count }, { $project: candidate }],
        end: [{ $skip: limits.examinedPerStep - 1 }, { $project: { _id: 1 } }],
      },
    },
  ]
  const options = { ...userReads, ...(hint === undefined ? {} : { hint }), fieldsAsRaw: { document: true } }
  const [result] = await collection.aggregate<Facets>(pipeline, options).toArray()
  const { found: candidates = [], end = [] } = result ?? {}
  const last = candidates.length === count ? candidates.at(-1) : end[0]
  return { candidates, end: last?._id ?? null }
}

type Facets = { readonly found: readonly Candidate[]; readonly end: readonly Keyed[] }

const readsAtOnce = 16

/** The documents of the candidates; large ones are read by key. Omits those deleted or changed meanwhile. */
export async function readCandidates<T extends Keyed>(
  collection: Collection<T>,
  { filter }: Scan<T>,
  candidates: readonly Candidate[],
): Promise<Buffer[]> {
  const read = async ({ _id, document: [small] }: Candidate) =>
    small ? [asBuffer(small)] : (await findBytes(collection, { ...filter, _id } as Filter<T>, 1)).documents
  return (await eachAtOnce(candidates, readsAtOnce, read)).flat()
}
