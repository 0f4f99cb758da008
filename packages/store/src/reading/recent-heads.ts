import type { Binary, Collection } from 'mongodb'
import { toKey, uuidIn } from '../binary.ts'
import { readLimits } from './read-limits.ts'

/** One document per subscriber, in a collection of events about what was stored: the latest time that they apply to. */
export type HeadDocument = {
  /** subscriber, 16 bytes. */
  _id: Binary
  until: Date
  version: Binary
}

/** Heads by subscriber. Those of other subscribers than asked for may be among them. */
export type Heads = ReadonlyMap<string, { readonly until: Date; readonly version: string }>

export const headsIndex = 'heads'
const mostOfAll = 1_000

/**
 * Finds the heads of some subscribers that are not older than `since`. What is stored is newer than nearly all heads, so the
 * recent ones of all subscribers are few and one look at their index finds them. In a replay there may be many; then the
 * subscribers are searched one by one.
 */
export async function findRecentHeads<T extends HeadDocument>(
  collection: Collection<T>,
  subscriberIds: ReadonlySet<string>,
  since: Date,
): Promise<Heads> {
  // Read without the type parameter, which the driver's filters do not support.
  const heads = collection as unknown as Collection<HeadDocument>
  const options = { ...readLimits, projection: { until: 1, version: 1 } }
  const until = { $gte: since }
  const recent = await heads
    .find(
      { until, version: { $exists: true } },
      { ...options, hint: headsIndex, limit: mostOfAll + 1, batchSize: mostOfAll + 1 },
    )
    .toArray()
  const found =
    recent.length <= mostOfAll
      ? recent
      : await heads.find({ _id: { $in: [...subscriberIds].map((id) => toKey(id)) }, until }, options).toArray()
  return new Map(found.map((head) => [uuidIn(head._id), { until: head.until, version: head.version.toString('hex') }]))
}
