import { limits, type ReadStatus } from '@herald/contracts'
import type { Filter, UpdateFilter } from 'mongodb'
import { toKey, toUuidBinary } from '../binary.ts'
import type { Source } from '../reading/find-bytes.ts'
import { type IdRange, keyRange } from '../reading/id-range.ts'
import { readLimits } from '../reading/read-limits.ts'
import { answerBytes, type ReadingRoom } from '../reading/reading-room.ts'
import { findPage, isPlain, type PageBytes, type Scan } from '../reading/walk.ts'
import type { MarkMany, Selection } from './mark-many.ts'
import {
  fromNotificationDocument,
  type NotificationDocument,
  type StoredNotification,
} from './notification-document.ts'
import { readNotification } from './read-notification.ts'
import { changedAt } from './read-state.ts'
import type { CountUnread } from './unread-count.ts'

/** The owner of a feed. Without both ids, no notification can be read or marked. */
export type FeedOwner = { readonly subscriberId: string; readonly recipientId: string }

/** Filters of a feed, which is read newest first. */
export type FeedQuery = IdRange & {
  readonly limit: number
  readonly status: ReadStatus
  readonly type?: string | undefined
  readonly locationType?: string | undefined
  readonly locationId?: string | undefined
  readonly subjectId?: string | undefined
}

/** `next` is the id at which the next page starts, exclusive; `null` on the last page. */
export type FeedPage = { readonly notifications: readonly StoredNotification[]; readonly next: string | null }

/** The notifications of one recipient. */
export type Feed = {
  /** A page may be short and still have a next one: see {@link findPage}. */
  list(query: FeedQuery): Promise<FeedPage>
  /** The same page, each notification as the bytes of its document: see {@link notificationPlaces}. */
  listBytes(query: FeedQuery): Promise<PageBytes>
  get(id: string): Promise<StoredNotification | null>
  /**
   * Sets `readAt` if the notification is unread; otherwise it keeps its time. Returns `null` if there is no such
   * notification.
   */
  markRead(id: string, at: Date): Promise<StoredNotification | null>
  markUnread(id: string, at: Date): Promise<StoredNotification | null>
  /** Marks the notifications that are unread now, none that arrive meanwhile. Returns the number of changed ones. */
  markManyRead(selection: Selection, at: Date): Promise<number>
  unreadCount(): Promise<number>
}

export type FeedDependencies = Source<NotificationDocument> & {
  readonly room: ReadingRoom
  readonly markMany: MarkMany
  readonly countUnread: CountUnread
}

/** No event or request can produce a larger document. */
const maxNotificationBytes = 32 * 1024
/** With a filter, MongoDB sends at most twice the bytes of a page: small documents at once, large ones by key. */
const filteredBytes = 2 * limits.pageBytes

type Conditions = Filter<NotificationDocument>

export function createFeed(
  { database, collection, room, markMany, countUnread }: FeedDependencies,
  { subscriberId, recipientId }: FeedOwner,
): Feed {
  const prefix = [subscriberId, recipientId] as const
  const source = { database, collection }
  const listBytes = (query: FeedQuery) => {
    const scan = toScan(prefix, query)
    const plainBytes = Math.min(answerBytes, (query.limit + 1) * maxNotificationBytes)
    const bytes = isPlain(scan.filter) ? plainBytes : filteredBytes
    return room.within(bytes, () => findPage(source, scan, query.limit))
  }

  const mark = async (id: string, from: Conditions, change: UpdateFilter<NotificationDocument>) => {
    const key = { _id: toKey(...prefix, id) }
    const changed = await collection.findOneAndUpdate({ ...key, ...from }, change, { returnDocument: 'after' })
    // Nothing to change: the notification is in that state already, or does not exist.
    const document = changed ?? (await collection.findOne(key, readLimits))
    return document && fromNotificationDocument(document)
  }

  return {
    async list(query) {
      const { documents, next } = await listBytes(query)
      return { notifications: documents.map((bytes) => readNotification(bytes, subscriberId)), next }
    },
    listBytes,
    async get(id) {
      const document = await collection.findOne({ _id: toKey(...prefix, id) }, readLimits)
      return document && fromNotificationDocument(document)
    },
    markRead: (id, at) =>
      mark(id, { unread: true }, { $set: { readAt: at }, $unset: { unread: true }, ...changedAt(at) }),
    markUnread: (id, at) =>
      mark(
        id,
        { unread: { $exists: false } },
        { $set: { unread: true }, $unset: { readAt: true, bulkMark: true }, ...changedAt(at) },
      ),
    markManyRead: (selection, at) => markMany(prefix, selection, at),
    unreadCount: () => countUnread(keyRange(prefix, {})),
  }
}

/** Pages without filters and of the unread are ranges of an index; every other filter is applied to each document. */
function toScan(prefix: readonly string[], query: FeedQuery): Scan<NotificationDocument> {
  const { status, type, locationType, locationId, subjectId } = query
  const indexed = { _id: keyRange(prefix, query), ...(status === 'unread' ? { unread: true as const } : {}) }
  const filter = {
    ...(status === 'read' ? { unread: { $exists: false } } : {}),
    ...(type === undefined ? {} : { type }),
    ...(locationType === undefined ? {} : { locationType }),
    ...(locationId === undefined ? {} : { locationId: toUuidBinary(locationId) }),
    ...(subjectId === undefined ? {} : { subjectId: toUuidBinary(subjectId) }),
  }
  return { indexed, filter: filter as Conditions }
}
