import type { Binary, Db } from 'mongodb'
import { readLimits } from './read-limits.ts'

/** How many of a range of keys are unread, exactly. */
export type CountUnread = (range: {
  readonly $gte: Binary
  readonly $lt?: Binary
  readonly $lte?: Binary
}) => Promise<number>

/**
 * Counts keys of the index of the unread without looking at a document. It is the `count` command, for the aggregation
 * behind the driver's `countDocuments` hands every key through its pipeline.
 */
export function createUnreadCount(database: Db, collection: string): CountUnread {
  return async (range) => {
    const query = { unread: true, _id: range }
    const { n } = await database.command({ count: collection, query, hint: 'unread', ...readLimits })
    return n
  }
}
