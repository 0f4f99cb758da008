import { findBytes, type ReadBudgets, toKey } from '@herald/mongo'
import type { Collection, MongoClient } from 'mongodb'
import type { BulkMarkAction, FeedCollections } from './documents/collections.ts'
import {
  type Box,
  boxes,
  type FeedOwner,
  type NotificationDocument,
  notRemoved,
} from './documents/notification-document.ts'
import { notificationBody, notificationPageBody } from './json/notification-json.ts'
import { createGroups, type GroupQuery } from './lists/groups.ts'
import { createListPage, type FeedQuery, type ListPage } from './lists/list-page.ts'
import { type Counts, createSeen, type Seen } from './lists/seen.ts'
import { changeOne } from './marks/change-one.ts'
import { type Change, toArchived, toKept, toRead, toUnarchived, toUnread } from './marks/changes.ts'
import { createMarkMany, type MarkMany, type Selection } from './marks/mark-many.ts'

/** The notifications of one recipient. Those that are read are returned as bodies of responses, in JSON. */
export type Feed = {
  /** A page may be short and still have a next one: see `findPage`. */
  list(query: FeedQuery): Promise<Buffer>
  groups(query: GroupQuery): Promise<Buffer>
  get(id: string): Promise<Buffer | null>
  /** Sets `readAt` if the notification is unread, else keeps it. Returns `null` if there is no such notification. */
  markRead(id: string, at: Date): Promise<Buffer | null>
  /** Marks it as unread and takes it out of the archive. A bulk mark that has begun leaves it alone. */
  markUnread(id: string, at: Date): Promise<Buffer | null>
  /** Archives the notification and marks it as read; keeps both times if they are set. */
  archive(id: string, at: Date): Promise<Buffer | null>
  unarchive(id: string, at: Date): Promise<Buffer | null>
  /** Marks what is selected now, nothing that arrives meanwhile. Returns the number of changed notifications. */
  markMany(action: BulkMarkAction, selection: Selection, at: Date): Promise<number>
  counts(): Promise<Counts>
  /** Marks as seen what is stored up to a notification and not dated after now. */
  markSeen(upTo: string | undefined, now: Date): Promise<void>
}

type FeedDependencies = {
  readonly collection: Collection<NotificationDocument>
  readonly budgets: ReadBudgets
  readonly listPage: ListPage
  readonly markMany: MarkMany
  readonly seen: Seen
}

const { unread, read, archived } = boxes

/** No event or request can produce a larger document. */
const maxNotificationBytes = 32 * 1024

function createFeed(
  { collection, budgets, listPage, markMany, seen }: FeedDependencies,
  { subscriberId, recipientId }: FeedOwner,
): Feed {
  const prefix = [subscriberId, recipientId] as const
  const reader = { subscriberId, userId: recipientId }
  const pages = { collection, budgets, reader, maxDocumentBytes: maxNotificationBytes }

  const find = async (id: string) => {
    const [document] = (await findBytes(collection, { _id: toKey(...prefix, id), ...notRemoved }, 1)).documents
    return document ? notificationBody(document) : null
  }

  const changeIn = async (from: readonly Box[], id: string, change: Change) => {
    const changed = await changeOne(collection, { _id: toKey(...prefix, id), box: { $in: from } }, change)
    return changed ? notificationBody(changed) : null
  }

  /** Unless it is in one of these boxes, the notification is in that state already, or does not exist. */
  const mark = async (from: readonly Box[], id: string, change: Change) =>
    (await changeIn(from, id, change)) ?? find(id)

  /** Marks it so that a bulk mark that has begun leaves it alone, even if nothing is to be taken back yet. */
  const takeBack = async (from: readonly Box[], id: string, change: Change) => {
    const others = [unread, read].filter((box) => !from.includes(box))
    return (await changeIn(from, id, change)) ?? (await changeIn(others, id, toKept)) ?? mark(from, id, change)
  }

  return {
    list: async (query) => notificationPageBody(await listPage(pages, prefix, query)),
    groups: createGroups(pages, prefix),
    get: find,
    markRead: (id, at) => mark([unread], id, toRead(at)),
    markUnread: (id, at) => takeBack([read, archived], id, toUnread(at)),
    archive: (id, at) => mark([unread, read], id, toArchived(at)),
    unarchive: (id, at) => takeBack([archived], id, toUnarchived(at)),
    markMany: (action, selection, at) => markMany(prefix, { action, selection, at }),
    counts: () => seen.counts(prefix),
    markSeen: (upTo, now) => seen.mark(prefix, upTo, now),
  }
}

export type FeedsDependencies = Pick<FeedCollections, 'notifications' | 'bulkMarks' | 'seenMarks'> & {
  readonly client: MongoClient
  readonly budgets: ReadBudgets
}

/** The feeds of all owners. */
export function createFeeds({ client, notifications, bulkMarks, seenMarks, budgets }: FeedsDependencies) {
  const dependencies = {
    collection: notifications,
    budgets,
    listPage: createListPage(),
    markMany: createMarkMany({ client, notifications, bulkMarks }),
    seen: createSeen({ notifications, seenMarks }),
  }
  return (owner: FeedOwner): Feed => createFeed(dependencies, owner)
}
