import type { Binary, Collection, Filter, Timestamp } from 'mongodb'
import { type FoundBytes, runForBytes } from './find-bytes.ts'
import { readsAfter } from './read-limits.ts'
import type { Keyed } from './scan.ts'

export type ByKeys<T> = {
  readonly keys: readonly Binary[]
  /** Applied to each document. */
  readonly filter?: Filter<T>
  readonly limit?: number
  /** A document that was on a majority by this time is found, whichever server responds. */
  readonly after: Timestamp | undefined
}

/**
 * Returns the documents of keys, in their order, as many as MongoDB puts into one response. One command looks up each key, because
 * MongoDB 6 scans a whole clustered collection for a list of keys: 8 µs of processor time for each of 1,000 keys, 27 µs of
 * MongoDB's, instead of 120 µs with a command for each.
 */
export function findByKeys<T extends Keyed>(
  { collectionName, db }: Collection<T>,
  { keys, filter, limit = keys.length, after }: ByKeys<T>,
): Promise<FoundBytes> {
  const lookup = { from: collectionName, localField: 'key', foreignField: '_id', as: 'found' }
  const pipeline = [
    { $documents: keys.map((key) => ({ key })) },
    { $lookup: filter ? { ...lookup, pipeline: [{ $match: filter }] } : lookup },
    { $unwind: '$found' },
    { $limit: limit },
    { $replaceRoot: { newRoot: '$found' } },
  ]
  const command = { aggregate: 1, pipeline, cursor: { batchSize: limit + 1 }, ...readsAfter(after) }
  return runForBytes(db, command, '$cmd.aggregate')
}
