import { limits } from '@herald/contracts'
import type { Binary, Document, Filter } from 'mongodb'
import { asBuffer, createDocumentReader, elementsOfArray, int32, readBinary, readKey } from '../wire/bson.ts'
import { findBytes, type Source } from './find-bytes.ts'
import { readLimits } from './read-limits.ts'
import type { Keyed, Scan } from './scan.ts'

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
