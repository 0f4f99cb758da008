import type { ReadStatus } from '@herald/contracts'
import type { Collection, Filter, UpdateFilter } from 'mongodb'
import { runCommand } from '../connection/run-command.ts'
import { type IdRange, keyRange, toKey, toUuidBinary } from '../documents/binary.ts'
import type { NotificationDocument } from '../documents/notification-document.ts'
import { findBytes } from '../reading/find-bytes.ts'
import { findPage } from '../reading/page.ts'
import type { ReadBudgets } from '../reading/read-budget.ts'
import { userReads } from '../reading/read-limits.ts'
import type { Scan } from '../reading/scan.ts'
import { notificationBody, notificationPageBody } from '../wire/notification-json.ts'
import { changeOne } from './change-one.ts'
import { changedAt, type MarkMany, type Selection } from './mark-many.ts'

/** The owner of a feed. Without both ids, no notification can be read or marked. */
export type FeedOwner = { readonly subscriberId: string; readonly recipientId: string }

export type FeedQuery = IdRange & {
  readonly limit: number
  readonly status: ReadStatus
  readonly type?: string | undefined
  readonly locationType?: string | undefined
  readonly locationId?: string | undefined
  readonly subjectId?: string | undefined
}

/** The notifications of one recipient. Those that are read are returned as bodies of responses, in JSON. */
export type Feed = {
  /** A page may be short and still have a next one: see {@link findPage}. */
  list(query: FeedQuery): Promise<Buffer>
  get(id: string): Promise<Buffer | null>
  /** Sets `readAt` if the notification is unread, else keeps it. Returns `null` if there is no such notification. */
  markRead(id: string, at: Date): Promise<Buffer | null>
  markUnread(id: string, at: Date): Promise<Buffer | null>
  /** Marks the notifications that are unread now, none that arrive meanwhile. Returns the number of changed ones. */
  markManyRead(selection: Selection, at: Date): Promise<number>
  unreadCount(): Promise<number>
}

export type FeedDependencies = {
  readonly collection: Collection<NotificationDocument>
  readonly budgets: ReadBudgets
  readonly markMany: MarkMany
}

/** No event or request can produce a larger document. */
const maxNotificationBytes = 32 * 1024

type Conditions = Filter<NotificationDocument>

export function createFeed(
  { collection, budgets, markMany }: FeedDependencies,
  { subscriberId, recipientId }: FeedOwner,
): Feed {
  const prefix = [subscriberId, recipientId] as const
  const reader = { subscriberId, userId: recipientId }
  const pages = { collection, budgets, reader, maxDocumentBytes: maxNotificationBytes }

  const find = async (id: string) => {
    const [document] = (await findBytes(collection, { _id: toKey(...prefix, id) }, 1)).documents
    return document ? notificationBody(document) : null
  }

  const mark = async (id: string, from: Conditions, change: UpdateFilter<NotificationDocument>) => {
    const where = { _id: toKey(...prefix, id), ...from }
    const changed = await changeOne(collection, where, change)
    // Nothing to change: the notification is in that state already, or does not exist.
    return changed ? notificationBody(changed) : find(id)
  }

  return {
    async list(query) {
      return notificationPageBody(await findPage(pages, toScan(prefix, query), query.limit))
    },
    get: find,
    markRead: (id, at) =>
      mark(id, { unread: true }, { $set: { readAt: at }, $unset: { unread: true }, ...changedAt(at) }),
    markUnread: (id, at) =>
      mark(
        id,
        { unread: { $exists: false } },
        { $set: { unread: true }, $unset: { readAt: true, bulkMark: true }, ...changedAt(at) },
      ),
    markManyRead: (selection, at) => markMany(prefix, selection, at),
    // With the `count` command: the driver's `countDocuments` passes every key through an aggregation.
    async unreadCount() {
      const query = { unread: true, _id: keyRange(prefix, {}) }
      const count = { count: collection.collectionName, query, hint: 'unread', ...userReads }
      return (await runCommand(collection.db, count)).n
    },
  }
}

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
