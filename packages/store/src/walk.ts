import { bytesToUuid, limits } from '@herald/contracts'
import { type Binary, BSON, type Document, type Filter } from 'mongodb'
import { readKey } from './document-reader.ts'
import { findBytes, type Source } from './find-bytes.ts'
import { readLimits } from './read-limits.ts'

type Keyed = { _id: Binary }

/** A part of a log, newest first. `end` is the key of the last document that was looked at, `null` when none is left. */
export type Stretch<T> = { readonly found: readonly T[]; readonly end: Binary | null }

export type Wanted<T> = {
  /** What an index serves: a range of `_id`, and equalities that have an index in front of it. */
  readonly indexed: Filter<T> & { _id: { $gte: Binary; $lt?: Binary; $lte?: Binary } }
  /** What each document is asked besides. */
  readonly filter: Filter<T>
}

/** Makes what is handed out of a document: of its bytes as MongoDB sent them, or of what the driver made of them. */
export type Reading<T, R> = { fromBytes(bytes: Buffer): R; fromDocument(document: T): R; idOf(made: R): string }

/** Hands out the bytes themselves. */
export function bytesReading<T extends Document>(): Reading<T, Buffer> {
  return {
    fromBytes: (bytes) => bytes,
    fromDocument: (document) => Buffer.from(BSON.serialize(document)),
    idOf: (bytes) => idIn(readKey(bytes)),
  }
}

/**
 * Looks at the next `size` documents of what is indexed and finds those among them that pass the filter. One query does
 * both: where it ended would otherwise have to be looked up, and could have moved meanwhile.
 */
export async function findAmongNext<T extends Keyed, R>(
  source: Source<T>,
  { indexed, filter }: Wanted<T>,
  size: number,
  reading: Reading<T, R>,
): Promise<Stretch<R>> {
  if (isPlain(filter)) {
    const all = await findBytes(source, indexed, size)
    const last = all.at(-1)
    return { found: all.map(reading.fromBytes), end: last === undefined || all.length < size ? null : readKey(last) }
  }
  const [result] = await source.collection
    .aggregate<{ found: T[]; end: Keyed[] }>(
      [
        { $match: indexed },
        { $sort: { _id: -1 } },
        { $limit: size },
        { $facet: { found: [{ $match: filter }], end: [{ $skip: size - 1 }, { $project: { _id: 1 } }] } },
      ],
      readLimits,
    )
    .toArray()
  return { found: (result?.found ?? []).map(reading.fromDocument), end: result?.end[0]?._id ?? null }
}

/** The same with what follows behind `end`. */
export function beyond<T>(wanted: Wanted<T>, end: Binary): Wanted<T> {
  return { ...wanted, indexed: { ...wanted.indexed, _id: { $gte: wanted.indexed._id.$gte, $lt: end } } }
}

/**
 * A page of at most `limit`, newest first, and the id from which the next one goes on. No more documents are looked at
 * than a request may cost: a page may then be short, and still have a next one.
 */
export async function findPage<T extends Keyed, R>(
  source: Source<T>,
  query: Wanted<T>,
  limit: number,
  reading: Reading<T, R>,
): Promise<{ readonly page: readonly R[]; readonly next: string | null }> {
  const size = isPlain(query.filter) ? limit + 1 : limits.examinedPerStep
  const found: R[] = []
  let wanted = query
  for (let examined = 0; ; ) {
    const stretch = await findAmongNext(source, wanted, size, reading)
    examined += size
    found.push(...stretch.found)
    if (found.length > limit) return { page: found.slice(0, limit), next: reading.idOf(found[limit - 1] as R) }
    if (stretch.end === null) return { page: found, next: null }
    if (examined >= limits.examinedPerRequest) return { page: found, next: idIn(stretch.end) }
    wanted = beyond(wanted, stretch.end)
  }
}

const isPlain = (filter: object) => Object.keys(filter).length === 0

/** Every key ends with the id. */
const idIn = (key: Binary) => bytesToUuid(key.buffer, key.position - 16)
