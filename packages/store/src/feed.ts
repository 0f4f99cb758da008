import type { ReadStatus } from '@herald/contracts'
import { limits } from '@herald/contracts'
import type { Collection, Filter, UpdateFilter } from 'mongodb'
import { toKey, toUuidBinary } from './binary.ts'
import { type IdRange, keyRange } from './id-range.ts'
import {
  fromNotificationDocument,
  idsIn,
  type NotificationDocument,
  type StoredNotification,
} from './notification-document.ts'
import { readLimits } from './read-limits.ts'

/** Whose feed it is. Without both ids no notification can be read or marked. */
export type FeedOwner = { readonly subscriberId: string; readonly recipientId: string }

/** What is wanted of a feed, newest first. */
export type FeedQuery = IdRange & {
  readonly limit: number
  readonly status: ReadStatus
  readonly type?: string | undefined
  readonly locationType?: string | undefined
  readonly locationId?: string | undefined
  readonly subjectId?: string | undefined
}

/** `next` is the id from which an older page goes on; `null` when nothing follows. */
export type FeedPage = { readonly notifications: readonly StoredNotification[]; readonly next: string | null }

/** The notifications of one recipient. */
export type Feed = {
  list(query: FeedQuery): Promise<FeedPage>
  get(id: string): Promise<StoredNotification | null>
  /** Sets `readAt` where it was unread; what was read before keeps its time. `null` when there is no such thing. */
  markRead(id: string, at: Date): Promise<StoredNotification | null>
  markUnread(id: string, at: Date): Promise<StoredNotification | null>
}

type Where = Filter<NotificationDocument>

export function createFeed(collection: Collection<NotificationDocument>, prefix: readonly [string, string]): Feed {
  const newestFirst = (where: Where, limit: number) =>
    collection.find(where, readLimits).sort({ _id: -1 }).limit(limit).toArray()

  const mark = async (id: string, from: Where, change: UpdateFilter<NotificationDocument>) => {
    const key = { _id: toKey(...prefix, id) }
    const changed = await collection.findOneAndUpdate({ ...key, ...from }, change, { returnDocument: 'after' })
    // Nothing to change: it is in that state already, or it is not there.
    const document = changed ?? (await collection.findOne(key, readLimits))
    return document && fromNotificationDocument(document)
  }

  return {
    async list(query) {
      const range: Where = { _id: keyRange(prefix, query) }
      const where = filterOf(query)
      const end = isIndexed(where) ? null : await findBoundary(collection, range)
      if (end) Object.assign(range._id as object, { $gte: end })
      const found = await newestFirst({ ...where, ...range }, query.limit + 1)
      const page = found.slice(0, query.limit)
      const last = found.length > page.length ? page.at(-1)?._id : end
      return { notifications: page.map(fromNotificationDocument), next: last ? idsIn(last).id : null }
    },
    async get(id) {
      const document = await collection.findOne({ _id: toKey(...prefix, id) }, readLimits)
      return document && fromNotificationDocument(document)
    },
    markRead: (id, at) =>
      mark(id, { unread: true }, { $set: { readAt: at, readStateAt: at }, $unset: { unread: true } }),
    markUnread: (id, at) =>
      mark(id, { unread: { $exists: false } }, { $set: { unread: true, readStateAt: at }, $unset: { readAt: true } }),
  }
}

function filterOf({ status, type, locationType, locationId, subjectId }: FeedQuery): Where {
  return {
    ...(status === 'all' ? {} : { unread: status === 'unread' ? true : { $exists: false } }),
    ...(type === undefined ? {} : { type }),
    ...(locationType === undefined ? {} : { locationType }),
    ...(locationId === undefined ? {} : { locationId: toUuidBinary(locationId) }),
    ...(subjectId === undefined ? {} : { subjectId: toUuidBinary(subjectId) }),
  } as Where
}

/** A plain page and a page of the unread are ranges of an index; everything else walks the feed. */
function isIndexed(where: Where): boolean {
  const keys = Object.keys(where)
  return keys.length === 0 || (keys.length === 1 && where.unread === true)
}

/**
 * How far a walk may go: the key of the last document that it may examine, `null` when the range is shorter than that. It
 * is looked up first, for a boundary that is found afterwards could have moved, and pages would overlap or leave a gap.
 */
async function findBoundary(collection: Collection<NotificationDocument>, range: Where) {
  const [last] = await collection
    .find(range, { ...readLimits, projection: { _id: 1 } })
    .sort({ _id: -1 })
    .skip(limits.examinedPerRequest - 1)
    .limit(1)
    .toArray()
  return last?._id ?? null
}
