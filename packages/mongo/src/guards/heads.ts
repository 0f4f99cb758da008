import { randomUUID } from 'node:crypto'
import type { Binary, Collection, Timestamp } from 'mongodb'
import { hex, toKey, toUuidBinary, uuidIn } from '../keys/keys.ts'
import { type FindFew, findFew } from '../reading/find-few.ts'
import { readLimits } from '../reading/read-limits.ts'
import { writeAll } from '../writing/write-each.ts'

/** One per subscriber who ever retracted something, or erased someone, in the collection of these tombstones. */
export type HeadDocument = {
  /** subscriber, 16 bytes. */
  _id: Binary
  v: 1
  until: Date
  /** Changes after a tombstone is stored, and before it is applied. */
  version: Binary
  /** The cluster time at which it last changed, which positions of change streams have: a clock that is set back changes neither. */
  changedAt: Timestamp
  keptFrom: Date
}

export const later = (one: Date, other: Date): Date => (other > one ? other : one)

/** Heads by subscriber. Those of other subscribers than asked for may be among them. */
export type Heads = ReadonlyMap<string, { readonly until: Date; readonly version: string }>

const mostOfAll = 1_000

/**
 * Finds the heads of some subscribers that are not older than `since`. Those of all subscribers are usually few, and one look
 * at their index finds them; in a replay there may be many, and then the subscribers are searched one by one.
 */
export async function findRecentHeads(
  heads: Collection<HeadDocument>,
  subscriberIds: ReadonlySet<string>,
  since: Date,
  find: FindFew = findFew,
): Promise<Heads> {
  const projection = { until: 1, version: 1 }
  const until = { $gte: since }
  const isHead = { until, version: { $exists: true } }
  const recent = await find(heads, { filter: isHead, hint: 'heads', projection, limit: mostOfAll + 1 })
  const found =
    recent.length <= mostOfAll
      ? recent
      : await heads
          .find({ _id: { $in: [...subscriberIds].map((id) => toKey(id)) }, until }, { ...readLimits, projection })
          .toArray()
  return new Map(found.map((head) => [uuidIn(head._id), { until: head.until, version: hex(head.version) }]))
}

type Event = { readonly _id: Binary; readonly until: Date; readonly keptFrom: Date }

/** Makes stored tombstones known: a process that read the heads before notices the new version. */
export async function advanceHeads(heads: Collection<HeadDocument>, tombstones: readonly Event[]): Promise<void> {
  const bySubscriber = Map.groupBy(tombstones, ({ _id }) => uuidIn(_id))
  if (bySubscriber.size === 0) return
  await writeAll(
    heads,
    [...bySubscriber].map(([subscriberId, ofOne]) => ({
      updateOne: {
        filter: { _id: toKey(subscriberId) },
        update: {
          $max: {
            until: ofOne.map(({ until }) => until).reduce(later),
            keptFrom: ofOne.map(({ keptFrom }) => keptFrom).reduce(later),
          },
          $set: { v: 1, version: toUuidBinary(randomUUID()) },
          $currentDate: { changedAt: { $type: 'timestamp' } },
        },
        upsert: true,
      },
    })),
  )
}
