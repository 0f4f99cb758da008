import { limits } from '@herald/contracts'
import type { Binary, Collection, Filter } from 'mongodb'
import { readKey } from './document-reader.ts'
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

/**
 * Looks at the next `size` documents of what is indexed and finds those among them that pass the filter. One query does
 * both: where it ended would otherwise have to be looked up, and could have moved meanwhile.
 */
export async function findAmongNext<T extends Keyed>(
  collection: Collection<T>,
  { indexed, filter }: Wanted<T>,
  size: number,
): Promise<Stretch<T>> {
  if (Object.keys(filter).length === 0) {
    const options = { ...readLimits, batchSize: size }
    const found = await collection.find(indexed, options).sort({ _id: -1 }).limit(size).toArray()
    return { found: found as T[], end: found.length < size ? null : (found.at(-1)?._id ?? null) }
  }
  const [result] = await collection
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
  return { found: result?.found ?? [], end: result?.end[0]?._id ?? null }
}

/**
 * The next `size` documents of what is indexed, handed to `read` as the bytes that MongoDB sent. `end` is the key of the
 * last one, `null` when none is left.
 */
export async function findPlain<T extends Keyed, R>(
  collection: Collection<T>,
  indexed: Wanted<T>['indexed'],
  size: number,
  read: (bytes: Buffer) => R,
): Promise<Stretch<R>> {
  const found = await collection
    .find(indexed, { ...readLimits, raw: true, batchSize: size })
    .sort({ _id: -1 })
    .limit(size)
    .toArray()
  const all = found as unknown as Buffer[]
  const last = all.at(-1)
  return { found: all.map(read), end: last === undefined || all.length < size ? null : readKey(last) }
}

/**
 * A page of at most `limit`, newest first, and the key from which the next one goes on. No more documents are looked at
 * than a request may cost: a page may then be short, and still have a next one.
 */
export async function findPage<T extends Keyed>(
  collection: Collection<T>,
  wanted: Wanted<T>,
  limit: number,
): Promise<{ readonly page: readonly T[]; readonly next: Binary | null }> {
  const isPlain = Object.keys(wanted.filter).length === 0
  const size = isPlain ? limit + 1 : limits.examinedPerStep
  const found: T[] = []
  let { indexed } = wanted
  for (let examined = 0; ; ) {
    const stretch = await findAmongNext(collection, { ...wanted, indexed }, size)
    examined += size
    found.push(...stretch.found)
    if (found.length > limit) return { page: found.slice(0, limit), next: found[limit - 1]?._id ?? null }
    if (stretch.end === null || examined >= limits.examinedPerRequest) return { page: found, next: stretch.end }
    indexed = { ...indexed, _id: { $gte: indexed._id.$gte, $lt: stretch.end } }
  }
}
