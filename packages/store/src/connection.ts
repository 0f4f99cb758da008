import type { Db } from 'mongodb'
import { type ChangeEntries, createChangeEntries } from './change-entries.ts'
import {
  bulkMarksIn,
  changeEntriesIn,
  createRequestsIn,
  notificationsIn,
  streamKeysIn,
  waitingReceiptsIn,
} from './collections.ts'
import { type CreateRequests, createCreateRequests } from './create-requests.ts'
import { createFeedChanges, type FeedChanges } from './feed-changes.ts'
import { findDifferences } from './find-missing.ts'
import { createLastingClient } from './lasting-client.ts'
import { createMarkMany } from './mark-many.ts'
import { migrate } from './migrate.ts'
import { createNotifications, type Notifications } from './notifications.ts'
import { createReadingRoom } from './reading-room.ts'
import { createReceipts, type Receipts } from './receipts.ts'
import { createStreamKeys, type StreamKeys } from './stream-keys.ts'
import { createUnreadCount } from './unread-count.ts'

export type StoreOptions = {
  /** A replica set's connection string. */
  readonly uri: string
  readonly database: string
  /** Stands in MongoDB's log and in `currentOp`. */
  readonly applicationName: string
  /** Days after which notifications and change entries expire; never when it is not given. */
  readonly retentionDays?: number | undefined
}

export type StoreReadiness =
  /** `warnings`: documents expire after another time than this process was started with. */
  { readonly ok: true; readonly warnings: readonly string[] } | { readonly ok: false; readonly detail: string }

/** The bytes that MongoDB may be sending at the same time: some hundred usual pages, and a few steps of large entries. */
const feedBytes = 64 * 1024 * 1024
const changeLogBytes = 48 * 1024 * 1024

/** All that Herald keeps. */
export type Store = {
  readonly notifications: Notifications
  readonly changeEntries: ChangeEntries
  readonly receipts: Receipts
  readonly createRequests: CreateRequests
  readonly feedChanges: FeedChanges
  readonly streamKeys: StreamKeys
  /** Whether a primary answers and everything is there that {@link migrate} makes. Throws when none answers. */
  checkReady(): Promise<StoreReadiness>
  migrate(): Promise<void>
  close(): Promise<void>
}

/**
 * Opens nothing yet: the driver connects when it is first asked, and comes back by itself after an outage. What is written
 * is durable on a majority before it counts; what is read comes from the primary, so that everybody reads what he wrote.
 * The time limits keep each operation shorter than Kafka's patience with a consumer.
 */
export function createStore({ uri, database: name, applicationName, retentionDays }: StoreOptions): Store {
  const options = {
    appName: applicationName,
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: 5_000 },
    retryWrites: true,
    retryReads: true,
    readPreference: 'primary',
    serverSelectionTimeoutMS: 2_000,
    connectTimeoutMS: 2_000,
    socketTimeoutMS: 8_000,
    ignoreUndefined: true,
  } as const
  const { client, close } = createLastingClient(uri, options)
  // Looking for an old place in the oplog takes longer than any other read may.
  const watching = createLastingClient(uri, { ...options, socketTimeoutMS: 45_000 })
  const database: Db = client.db(name)
  const notifications = notificationsIn(database)
  return {
    notifications: createNotifications({
      database,
      collection: notifications,
      room: createReadingRoom(feedBytes),
      markMany: createMarkMany({ client, notifications, bulkMarks: bulkMarksIn(database) }),
      countUnread: createUnreadCount(database, notifications.collectionName),
    }),
    changeEntries: createChangeEntries({
      database,
      collection: changeEntriesIn(database),
      room: createReadingRoom(changeLogBytes),
    }),
    receipts: createReceipts(notifications, waitingReceiptsIn(database)),
    createRequests: createCreateRequests(createRequestsIn(database)),
    feedChanges: createFeedChanges(watching.client.db(name)),
    streamKeys: createStreamKeys(database, streamKeysIn(database)),
    async checkReady() {
      const { missing, retention: warnings } = await findDifferences(database, retentionDays)
      return missing.length === 0 ? { ok: true, warnings } : { ok: false, detail: `Run migrate: ${missing.join('; ')}` }
    },
    migrate: () => migrate(database, retentionDays),
    async close() {
      await Promise.all([close(), watching.close()])
    },
  }
}
