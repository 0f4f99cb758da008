import type { Binary, Collection, Filter } from 'mongodb'
import { readLimits } from './read-limits.ts'

export type KeyRange = { readonly $gte?: Binary; readonly $gt?: Binary; readonly $lt?: Binary; readonly $lte?: Binary }

/** The range of the next `count` documents that match, and the last of them if others may follow. */
export async function nextRange<T extends { _id: Binary }>(
  collection: Collection<T>,
  range: KeyRange,
  { count, filter = {}, hint }: { readonly count: number; readonly filter?: Filter<T>; readonly hint?: string },
): Promise<{ range: KeyRange; last: Binary | undefined }> {
  const options = { ...readLimits, ...(hint ? { hint } : {}), projection: { _id: 1 } }
  const last = await collection
    .find({ ...filter, _id: range } as Filter<T>, options)
    .sort({ _id: 1 })
    .skip(count - 1)
    .limit(1)
    .next()
  return last ? { range: { ...range, $lte: last._id }, last: last._id } : { range, last: undefined }
}

/** The rest of a range, behind a key. */
export const behind = (after: Binary | undefined, range: KeyRange): KeyRange =>
  after === undefined ? range : { ...range, $gt: after }
