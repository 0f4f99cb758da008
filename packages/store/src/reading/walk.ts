import { bytesToUuid, limits } from '@herald/contracts'
import type { Binary, Document, Filter } from 'mongodb'
import { createDocumentReader, elementsOfArray, int32, readBinary, readKey } from '../wire/document-reader.ts'
import { asBuffer, findBytes, type Source } from './find-bytes.ts'
import { readLimits } from './read-limits.ts'

type Keyed = { _id: Binary }

export type Scan<T> = {
  /** Served by an index: a range of `_id`, and equalities on the fields that precede it in the index. */
  readonly indexed: Filter<T> & { _id: { $gte: Binary; $lt?: Binary; $lte?: Binary } }
  /** Applied to each document in that range. */
  readonly filter: Filter<T>
}

/** Limits of the number and the bytes of the returned documents. */
export type Bounds = { readonly count: number; readonly bytes: number; readonly atLeastOne: boolean }

/** A part of a scan, newest first, each document as its bytes. */
export type Segment = {
  readonly found: readonly Buffer[]
  /** The key of the last document examined, `null` at the end of the range. */
  readonly end: Binary | null
  /** Whether the limit of bytes was reached: the next match is left for the next segment. */
  readonly isFull: boolean
}

export const isPlain = (filter: object) => Object.keys(filter).length === 0

/**
 * Examines the next documents of a range, at most {@link limits.examinedPerStep}, and returns those that match the
 * filter, within bounds.
 */
export function scanNext<T extends Keyed>(source: Source<T>, scan: Scan<T>, bounds: Bounds): Promise<Segment> {
  return isPlain(scan.filter) ? scanPlain(source, scan, bounds) : scanFiltered(source, scan, bounds)
}

async function scanPlain<T extends Keyed>(source: Source<T>, { indexed }: Scan<T>, bounds: Bounds): Promise<Segment> {
  const { documents, isCut } = await findBytes(source, indexed, bounds.count)
  const fitting = countFitting(
    documents.map((bytes) => bytes.length),
    bounds,
  )
  const isFull = fitting < documents.length
  // Copied, because all bytes share one buffer, which a part of them must not retain.
  const found = isFull ? documents.slice(0, fitting).map((bytes) => Buffer.from(bytes)) : documents
  const last = found.at(-1)
  const isEnd = !isCut && !isFull && documents.length < bounds.count
  return { found, end: isEnd || last === undefined ? null : readKey(last), isFull: isFull || isCut }
}

/** The number of leading documents that fit into the limit of bytes. */
function countFitting(sizes: readonly number[], { bytes, atLeastOne }: Bounds): number {
  let sum = 0
  const firstExcess = sizes.findIndex((size) => {
    sum += size
    return sum > bytes
  })
  return firstExcess === -1 ? sizes.length : Math.max(firstExcess, atLeastOne ? 1 : 0)
}

/** A document that matches the filter; with its bytes only if it is small. */
export type Candidate = { key: Binary | undefined; size: number; document: Buffer | undefined }

export type Examined = {
  readonly candidates: readonly Candidate[]
  /** The key of the last document examined, `null` at the end of the range. */
  readonly end: Binary | null
}

/**
 * Examines the next {@link limits.examinedPerStep} documents and returns those that match, at most `count`.
 *
 * One query returns both the matches and the last key, because a second one could see a changed collection. Its result
 * is one document of at most 16 MiB, so it contains documents up to `smallBytes`, and only key and size of larger ones.
 */
export async function examineNext<T extends Keyed>(
  source: Source<T>,
  { indexed, filter }: Scan<T>,
  { count, smallBytes }: { readonly count: number; readonly smallBytes: number },
): Promise<Examined> {
  const size = { $bsonSize: '$$ROOT' }
  const candidate = { size, document: { $cond: [{ $lte: [size, smallBytes] }, '$$ROOT', '$$REMOVE'] } }
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
  const [result] = await source.collection.aggregate(pipeline, { ...readLimits, raw: true }).toArray()
  const { found, end } = readFacets(asBuffer(result as unknown as Uint8Array), { found: [], end: null })
  const candidates = found.map((bytes) => readCandidate(bytes, { key: undefined, size: 0, document: undefined }))
  return { candidates, end: candidates.length === count ? (candidates.at(-1)?.key ?? null) : end }
}

/** Concurrent reads by key, because MongoDB 6 would scan a whole clustered collection for a list of keys. */
const readsAtOnce = 16

/** The documents of the candidates; large ones are read by key. Omits those deleted or changed meanwhile. */
export async function readCandidates<T extends Keyed>(
  source: Source<T>,
  { filter }: Scan<T>,
  candidates: readonly Candidate[],
): Promise<Buffer[]> {
  const documents: Buffer[] = []
  const read = async ({ key, document }: Candidate) =>
    document ? [document] : (await findBytes(source, { ...filter, _id: key } as Filter<T>, 1)).documents
  for (let start = 0; start < candidates.length; start += readsAtOnce) {
    const some = await Promise.all(candidates.slice(start, start + readsAtOnce).map(read))
    documents.push(...some.flat())
  }
  return documents
}

async function scanFiltered<T extends Keyed>(source: Source<T>, scan: Scan<T>, bounds: Bounds): Promise<Segment> {
  const smallBytes = Math.floor(bounds.bytes / bounds.count)
  const { candidates, end } = await examineNext(source, scan, { count: bounds.count, smallBytes })
  const fitting = countFitting(
    candidates.map(({ size }) => size),
    bounds,
  )
  const chosen = candidates.slice(0, fitting)
  const isFull = fitting < candidates.length
  return {
    found: await readCandidates(source, scan, chosen),
    end: isFull ? (chosen.at(-1)?.key ?? null) : end,
    isFull,
  }
}

const readFacets = createDocumentReader<{ found: Buffer[]; end: Binary | null }>({
  found: (target, bytes, at) => {
    target.found = elementsOfArray(bytes, at)
  },
  end: (target, bytes, at) => {
    const [last] = elementsOfArray(bytes, at)
    target.end = last ? readKey(last) : null
  },
})

const readCandidate = createDocumentReader<Candidate>({
  document: (target, bytes, at) => {
    target.document = bytes.subarray(at, at + int32(bytes, at))
  },
  size: (target, bytes, at) => {
    target.size = int32(bytes, at)
  },
  _id: (target, bytes, at) => {
    target.key = readBinary(bytes, at)
  },
})

/** The rest of a scan after `end`. */
export function continueAfter<T>(scan: Scan<T>, end: Binary): Scan<T> {
  return { ...scan, indexed: { ...scan.indexed, _id: { $gte: scan.indexed._id.$gte, $lt: end } } }
}

/** `next` is the id at which the next page starts, exclusive; `null` on the last page. */
export type PageBytes = { readonly documents: readonly Buffer[]; readonly next: string | null }

/**
 * Returns a page of at most `limit` documents, newest first. A page ends early at {@link limits.pageBytes}, or after
 * examining the documents that one request may examine: it may then be short and still have a next one.
 */
export async function findPage<T extends Keyed>(source: Source<T>, query: Scan<T>, limit: number): Promise<PageBytes> {
  const found: Buffer[] = []
  let bytes = 0
  let scan = query
  for (let examined = limits.examinedPerStep; ; examined += limits.examinedPerStep) {
    const segment = await scanNext(source, scan, {
      // One more than requested shows whether a page follows.
      count: limit + 1 - found.length,
      bytes: limits.pageBytes - bytes,
      atLeastOne: found.length === 0,
    })
    for (const document of segment.found) {
      found.push(document)
      bytes += document.length
    }
    if (found.length > limit) return { documents: found.slice(0, limit), next: idOf(found[limit - 1] as Buffer) }
    const last = found.at(-1)
    if (segment.isFull && last) return { documents: found, next: idOf(last) }
    if (segment.end === null) return { documents: found, next: null }
    if (examined >= limits.examinedPerRequest) return { documents: found, next: idIn(segment.end) }
    scan = continueAfter(scan, segment.end)
  }
}

/** Every key ends with the id. */
const idIn = (key: Binary) => bytesToUuid(key.buffer, key.position - 16)
const idOf = (document: Buffer) => idIn(readKey(document))
