import { bytesToUuid, limits } from '@herald/contracts'
import type { Binary, Document, Filter } from 'mongodb'
import { createDocumentReader, elementsOfArray, int32, readBinary, readKey } from './document-reader.ts'
import { asBuffer, findBytes, type Source } from './find-bytes.ts'
import { readLimits } from './read-limits.ts'

type Keyed = { _id: Binary }

export type Wanted<T> = {
  /** What an index serves: a range of `_id`, and equalities that have an index in front of it. */
  readonly indexed: Filter<T> & { _id: { $gte: Binary; $lt?: Binary; $lte?: Binary } }
  /** What each document is asked besides. */
  readonly filter: Filter<T>
}

/** How many documents are handed out at most, and how many bytes. */
export type Bounds = { readonly count: number; readonly bytes: number; readonly atLeastOne: boolean }

/** A part of a log, newest first, each document as its bytes. */
export type Stretch = {
  readonly found: readonly Buffer[]
  /** The key of the last document that was looked at, `null` when none is left. */
  readonly end: Binary | null
  /** Whether the bytes are used up: the next document that fits the filter is left for the next stretch. */
  readonly isFull: boolean
}

export const isPlain = (filter: object) => Object.keys(filter).length === 0

/**
 * Looks at the next documents of what is indexed, at most {@link limits.examinedPerStep}, and finds those among them that
 * pass the filter, within bounds.
 */
export function findAmongNext<T extends Keyed>(source: Source<T>, wanted: Wanted<T>, bounds: Bounds): Promise<Stretch> {
  return isPlain(wanted.filter) ? findPlain(source, wanted, bounds) : findFiltered(source, wanted, bounds)
}

async function findPlain<T extends Keyed>(source: Source<T>, { indexed }: Wanted<T>, bounds: Bounds): Promise<Stretch> {
  const { documents, isCut } = await findBytes(source, indexed, bounds.count)
  const fitting = countFitting(
    documents.map((bytes) => bytes.length),
    bounds,
  )
  const isFull = fitting < documents.length
  // The bytes of all lie in one answer, which must not be kept for the sake of a part of it.
  const found = isFull ? documents.slice(0, fitting).map((bytes) => Buffer.from(bytes)) : documents
  const last = found.at(-1)
  const isEnd = !isCut && !isFull && documents.length < bounds.count
  return { found, end: isEnd || last === undefined ? null : readKey(last), isFull: isFull || isCut }
}

/** How many of the documents, from the first one on, fit into the bytes. */
function countFitting(sizes: readonly number[], { bytes, atLeastOne }: Bounds): number {
  let sum = 0
  const tooMany = sizes.findIndex((size) => {
    sum += size
    return sum > bytes
  })
  return tooMany === -1 ? sizes.length : Math.max(tooMany, atLeastOne ? 1 : 0)
}

/** A document that passed the filter; its bytes only when it is small. */
export type Candidate = { key: Binary | undefined; size: number; document: Buffer | undefined }

export type Examined = {
  readonly candidates: readonly Candidate[]
  /** The key of the last document that was looked at, `null` when none is left. */
  readonly end: Binary | null
}

/**
 * Looks at the next {@link limits.examinedPerStep} documents and finds those that pass the filter, at most `count`.
 *
 * One query looks and filters: where it ended would otherwise have to be looked up, and could have moved meanwhile. It
 * answers in one document, which may hold no more than 16 MiB: so it has documents up to `smallBytes` as they are, and of
 * larger ones key and size.
 */
export async function examineNext<T extends Keyed>(
  source: Source<T>,
  { indexed, filter }: Wanted<T>,
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

/** Several at once, but no list of keys: MongoDB 6 would scan the whole of a clustered collection for it. */
const readsAtOnce = 16

/** The documents of candidates, large ones read by key. One that was deleted or changed meanwhile is left out. */
export async function readCandidates<T extends Keyed>(
  source: Source<T>,
  { filter }: Wanted<T>,
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

async function findFiltered<T extends Keyed>(source: Source<T>, wanted: Wanted<T>, bounds: Bounds): Promise<Stretch> {
  const smallBytes = Math.floor(bounds.bytes / bounds.count)
  const { candidates, end } = await examineNext(source, wanted, { count: bounds.count, smallBytes })
  const fitting = countFitting(
    candidates.map(({ size }) => size),
    bounds,
  )
  const chosen = candidates.slice(0, fitting)
  const isFull = fitting < candidates.length
  return {
    found: await readCandidates(source, wanted, chosen),
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

/** The same with what follows behind `end`. */
export function beyond<T>(wanted: Wanted<T>, end: Binary): Wanted<T> {
  return { ...wanted, indexed: { ...wanted.indexed, _id: { $gte: wanted.indexed._id.$gte, $lt: end } } }
}

/** `next` is the id from which an older page goes on, `null` when nothing follows. */
export type PageBytes = { readonly documents: readonly Buffer[]; readonly next: string | null }

/**
 * A page of at most `limit`, newest first. It ends early when it has {@link limits.pageBytes}, and no more documents are
 * looked at than a request may cost: it may then be short, and still have a next one.
 */
export async function findPage<T extends Keyed>(
  source: Source<T>,
  query: Wanted<T>,
  limit: number,
): Promise<PageBytes> {
  const found: Buffer[] = []
  let bytes = 0
  let wanted = query
  for (let examined = limits.examinedPerStep; ; examined += limits.examinedPerStep) {
    const stretch = await findAmongNext(source, wanted, {
      // One more than asked for shows whether anything follows.
      count: limit + 1 - found.length,
      bytes: limits.pageBytes - bytes,
      atLeastOne: found.length === 0,
    })
    for (const document of stretch.found) {
      found.push(document)
      bytes += document.length
    }
    if (found.length > limit) return { documents: found.slice(0, limit), next: idOf(found[limit - 1] as Buffer) }
    const last = found.at(-1)
    if (stretch.isFull && last) return { documents: found, next: idOf(last) }
    if (stretch.end === null) return { documents: found, next: null }
    if (examined >= limits.examinedPerRequest) return { documents: found, next: idIn(stretch.end) }
    wanted = beyond(wanted, stretch.end)
  }
}

/** Every key ends with the id. */
const idIn = (key: Binary) => bytesToUuid(key.buffer, key.position - 16)
const idOf = (document: Buffer) => idIn(readKey(document))
