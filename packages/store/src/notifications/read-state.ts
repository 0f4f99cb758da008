import type { Binary, Document } from 'mongodb'

/**
 * The part of the update that every mark has: the version is incremented, and the time never decreases, even if the
 * clocks of processes differ.
 */
export function changedAt(at: Date) {
  return { $inc: { readVersion: 1 }, $max: { readStateAt: at } } as const
}

/**
 * The update for a read receipt. It applies to an unread notification if its time is later than the recipient's newest
 * mark and every earlier receipt: a receipt never applies twice, however far its publisher's clock is ahead. The
 * condition is in the pipeline and not in the filter, so that the result shows whether the notification exists.
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

/** An unread notification as a bulk mark has read it. */
export type SeenUnread = { readonly _id: Binary; readonly readVersion?: number }

/** Groups keys by version; most notifications have none. */
export function keysByVersion(seen: readonly SeenUnread[]): Map<number | undefined, Binary[]> {
  const groups = new Map<number | undefined, Binary[]>()
  for (const { _id, readVersion } of seen) {
    const group = groups.get(readVersion)
    if (group) group.push(_id)
    else groups.set(readVersion, [_id])
  }
  return groups
}

/** Matches the keys that are unread and still have this version. */
export function unchangedSince(version: number | undefined, keys: readonly Binary[]) {
  return { unread: true, _id: { $in: [...keys] }, readVersion: version ?? { $exists: false } } as const
}
