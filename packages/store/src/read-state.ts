import type { Binary, Document } from 'mongodb'

/**
 * The part of an update that every mark by a recipient has: the version goes up by one, and the time never goes back,
 * although the clocks of the processes differ.
 */
export function changedAt(at: Date) {
  return { $inc: { readVersion: 1 }, $max: { readStateAt: at } } as const
}

/**
 * The update of a read receipt. It applies to what is unread, if its time is later than the recipient's newest mark and
 * than every receipt before it: one that was seen never applies again, however far its publisher's clock is ahead. It is a
 * pipeline without a condition outside, so that its answer still says whether the notification is there.
 */
export function readReceiptAt(at: Date): Document[] {
  const isLater = (field: string) => ({ $not: { $gte: [field, at] } })
  const applies = { $and: [{ $eq: ['$unread', true] }, isLater('$readStateAt'), isLater('$receiptAt')] }
  const ifApplies = (value: unknown, field: string) => ({ $cond: [applies, value, field] })
  return [
    {
      $set: {
        readAt: ifApplies(at, '$readAt'),
        readVersion: ifApplies({ $add: [{ $ifNull: ['$readVersion', 0] }, 1] }, '$readVersion'),
        unread: ifApplies('$$REMOVE', '$unread'),
        receiptAt: { $max: ['$receiptAt', at] },
      },
    },
  ]
}

/** An unread notification as a bulk mark saw it. */
export type SeenUnread = { readonly _id: Binary; readonly readVersion?: number }

/** The keys by the version that was seen: nearly all have none. */
export function keysByVersion(seen: readonly SeenUnread[]): Map<number | undefined, Binary[]> {
  const groups = new Map<number | undefined, Binary[]>()
  for (const { _id, readVersion } of seen) {
    const group = groups.get(readVersion)
    if (group) group.push(_id)
    else groups.set(readVersion, [_id])
  }
  return groups
}

/** Those of the keys that are unread and have not changed since they were seen with this version. */
export function unchangedSince(version: number | undefined, keys: readonly Binary[]) {
  return { unread: true, _id: { $in: [...keys] }, readVersion: version ?? { $exists: false } } as const
}
