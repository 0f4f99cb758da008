import type { Binary, Db } from 'mongodb'
import { withReusedSession } from '../connection/reused-sessions.ts'
import { readLimits } from '../reading/read-limits.ts'

/** The exact number of unread notifications in a range of keys. */
export type CountUnread = (range: {
  readonly $gte: Binary
  readonly $lt?: Binary
  readonly $lte?: Binary
}) => Promise<number>

/**
 * Counts index keys without reading documents, with the `count` command: the driver's `countDocuments` runs an
 * aggregation that passes every key through its pipeline.
 */
export function createUnreadCount(database: Db, collection: string): CountUnread {
  return async (range) => {
    const query = { unread: true, _id: range }
    const { n } = await withReusedSession(database.client, (session) =>
      database.command({ count: collection, query, hint: 'unread', ...readLimits }, { session }),
    )
    return n
  }
}
