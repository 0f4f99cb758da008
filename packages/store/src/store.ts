import type { Db } from 'mongodb'
import { type Announcements, createAnnouncements } from './announcements/announcements.ts'
import type { Announcing } from './announcements/announcing.ts'
import { createDigests, type Digests } from './announcements/digests.ts'
import { type ChangeEntries, createChangeEntries } from './change-entries/change-entries.ts'
import {
  bulkMarksIn,
  changeEntriesIn,
  createRequestsIn,
  digestsIn,
  erasureHeadsIn,
  erasuresIn,
  fanOutsIn,
  feedErasuresIn,
  leasesIn,
  notificationsIn,
  personKeysIn,
  streamKeysIn,
  tombstoneHeadsIn,
  tombstonesIn,
  waitingReceiptsIn,
} from './collections.ts'
import { createLastingClient } from './connection/lasting-client.ts'
import { type CreateRequests, createCreateRequests } from './create-requests/create-requests.ts'
import { createErasureRoom } from './erasures/erasure-room.ts'
import type { Erasures } from './erasures/erasures.ts'
import { createFanOutRoom } from './fan-outs/fan-out-room.ts'
import type { Retractions } from './fan-outs/retractions.ts'
import type { Unfinished } from './fan-outs/unfinished.ts'
import { createFeedChanges, type FeedChanges } from './feed-changes/feed-changes.ts'
import { createLeases, type Leases } from './leases/leases.ts'
import { createEventLookup, type EventLookup } from './lookup/event-lookup.ts'
import { readStorageState, type StorageState } from './lookup/storage-state.ts'
import {
  createMissingFanOuts,
  foundRecipientsIn,
  type MissingFanOuts,
  migrationsIn,
} from './migration/fan-outs-of-older.ts'
import { findDifferences } from './migration/find-missing.ts'
import { migrate } from './migration/migrate.ts'
import { type MigrationStep, planMigration } from './migration/plan-migration.ts'
import { createRewrite, type Rewrite, rewriteStateIn } from './migration/rewrite/rewrite-notifications.ts'
import { createMarkMany } from './notifications/mark-many.ts'
import { createNotifications, type Notifications } from './notifications/notifications.ts'
import { createUnreadCount } from './notifications/unread-count.ts'
import { createReadBudget } from './reading/read-budget.ts'
import { createReceipts, type Receipts } from './receipts/receipts.ts'
import { createStreamKeys, type StreamKeys } from './stream-keys/stream-keys.ts'

export type StoreOptions = {
  /** The connection string of a replica set. */
  readonly uri: string
  readonly database: string
  /** Appears in MongoDB's log and in `currentOp`. */
  readonly applicationName: string
  /** Days after which notifications and change entries expire; `undefined` for never. */
  readonly retentionDays?: number | undefined
  /** Selects the announcements of notifications; without it there are none. */
  readonly announcing?: Announcing | undefined
}

type StoreReadiness =
  /** `warnings`: collections whose documents expire after a different time than configured. */
  { readonly ok: true; readonly warnings: readonly string[] } | { readonly ok: false; readonly detail: string }

/** Bytes that MongoDB may be sending at the same time: some hundred typical pages, or a few steps of large entries. */
const feedBytes = 64 * 1024 * 1024
const changeLogBytes = 48 * 1024 * 1024

/** Everything that Herald stores. */
export type Store = {
  readonly notifications: Notifications
  readonly changeEntries: ChangeEntries
  readonly retractions: Retractions
  readonly unfinished: Unfinished
  readonly announcements: Announcements
  readonly digests: Digests
  readonly erasures: Erasures
  readonly leases: Leases
  readonly missingFanOuts: MissingFanOuts
  readonly rewrite: Rewrite
  readonly receipts: Receipts
  readonly createRequests: CreateRequests
  readonly feedChanges: FeedChanges
  readonly streamKeys: StreamKeys
  readonly eventLookup: EventLookup
  /** Whether a primary answers and everything that {@link migrate} creates exists. Throws if no primary answers. */
  checkReady(): Promise<StoreReadiness>
  migrate(): Promise<void>
  /** The steps that {@link migrate} would take. */
  planMigration(): Promise<readonly MigrationStep[]>
  /** For operators. Throws if no primary answers. */
  readState(): Promise<StorageState>
  close(): Promise<void>
}

/**
 * Does not connect: the driver connects with the first operation and reconnects after outages. Writes are acknowledged
 * by a majority. Reads go to the primary, so that every client reads its own writes. The timeouts keep each operation
 * shorter than the time Kafka allows a consumer.
 */
export function createStore({ uri, database: name, applicationName, retentionDays, announcing }: StoreOptions): Store {
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
  // Finding an old position in the oplog takes longer than any other read.
  const watching = createLastingClient(uri, { ...options, socketTimeoutMS: 45_000 })
  const database: Db = client.db(name)
  const notifications = notificationsIn(database)
  const { insertNew, of } = createNotifications({
    database,
    collection: notifications,
    budget: createReadBudget(feedBytes),
    markMany: createMarkMany({ client, notifications, bulkMarks: bulkMarksIn(database) }),
    countUnread: createUnreadCount(database, notifications.collectionName),
  })
  const { erasures, erasedPersons, eraseFromFanOuts } = createErasureRoom({
    erasures: erasuresIn(database),
    heads: erasureHeadsIn(database),
    personKeys: personKeysIn(database),
    notifications,
    fanOuts: fanOutsIn(database),
    changeEntries: changeEntriesIn(database),
    waitingReceipts: waitingReceiptsIn(database),
    createRequests: createRequestsIn(database),
    bulkMarks: bulkMarksIn(database),
    feedErasures: feedErasuresIn(database),
    digests: digestsIn(database),
  })
  const fanOuts = createFanOutRoom({
    fanOuts: fanOutsIn(database),
    tombstones: tombstonesIn(database),
    heads: tombstoneHeadsIn(database),
    notifications,
    announcing,
    insertForRecipients: insertNew,
    erasedPersons,
    eraseFromFanOuts,
  })
  const receipts = createReceipts(notifications, waitingReceiptsIn(database), fanOuts.findRetracted, erasedPersons)
  const digests = digestsIn(database)
  const announcingFrom = { fanOuts: fanOutsIn(database), notifications, digests, erasedPersons }
  return {
    notifications: { insertNew: fanOuts.insertNew, of },
    retractions: fanOuts.retractions,
    unfinished: fanOuts.unfinished,
    announcements: createAnnouncements(announcingFrom),
    digests: createDigests(announcingFrom),
    missingFanOuts: createMissingFanOuts({
      migrations: migrationsIn(database),
      found: foundRecipientsIn(database),
      notifications,
      fanOuts: fanOutsIn(database),
      applyTombstones: fanOuts.applyTombstones,
    }),
    rewrite: createRewrite({
      state: rewriteStateIn(database),
      database: watching.client.db(name),
      retentionDays,
      fanOuts: fanOutsIn(database),
      applyTombstones: fanOuts.applyTombstones,
      settleReceipts: receipts.settle,
    }),
    erasures,
    leases: createLeases(leasesIn(database)),
    changeEntries: createChangeEntries({
      database,
      collection: changeEntriesIn(database),
      budget: createReadBudget(changeLogBytes),
      erasedPersons,
    }),
    receipts,
    createRequests: createCreateRequests(createRequestsIn(database)),
    feedChanges: createFeedChanges(watching.client.db(name)),
    streamKeys: createStreamKeys(database, streamKeysIn(database)),
    eventLookup: createEventLookup({
      fanOuts: fanOutsIn(database),
      tombstones: tombstonesIn(database),
      notifications,
      changeEntries: changeEntriesIn(database),
      waiting: waitingReceiptsIn(database),
      erasures: erasuresIn(database),
      erasedPersons,
    }),
    async checkReady() {
      const { missing, retention: warnings } = await findDifferences(database, retentionDays)
      return missing.length === 0 ? { ok: true, warnings } : { ok: false, detail: `Run migrate: ${missing.join('; ')}` }
    },
    migrate: () => migrate(database, retentionDays),
    planMigration: () => planMigration(database, retentionDays),
    readState: () =>
      readStorageState({
        ...{ database, retentionDays },
        waiting: waitingReceiptsIn(database),
        fanOuts: fanOutsIn(database),
      }),
    async close() {
      await Promise.all([close(), watching.close()])
    },
  }
}
