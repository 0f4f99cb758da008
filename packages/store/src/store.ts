import { createChangeEntries } from './change-entries/change-entries.ts'
import { createLastingClient } from './connection/lasting-client.ts'
import { createServerClock } from './connection/server-clock.ts'
import { collectionsOf } from './documents/collections.ts'
import type { Announcing } from './documents/fan-out-document.ts'
import { createFeedChanges } from './feed-changes/feed-changes.ts'
import { createFeed, type FeedOwner } from './feeds/feed.ts'
import { createMarkMany } from './feeds/mark-many.ts'
import { createLeases } from './leases/leases.ts'
import { createEventLookup } from './lookup/event-lookup.ts'
import { readStorageState } from './lookup/storage-state.ts'
import { findDifferences } from './migration/find-missing.ts'
import { migrate } from './migration/migrate.ts'
import { noReadBudgets, type ReadBudgets } from './reading/read-budget.ts'
import { createWriters } from './writers.ts'
import { sharedKey } from './writing/shared-key.ts'

export type StoreOptions = {
  readonly uri: string
  readonly database: string
  /** Appears in MongoDB's log and in `currentOp`. */
  readonly applicationName: string
  /** Days after which notifications and change entries expire; `undefined` for never. */
  readonly retentionDays?: number | undefined
  /** Selects the announcements of notifications; without it there are none. */
  readonly announcing?: Announcing | undefined
  /** Bound the reads of lists and exports; without them there is no bound. */
  readonly reads?: ReadBudgets
}

export type Store = ReturnType<typeof createStore>
export type Notifications = Store['notifications']

/**
 * Does not connect: the driver connects with the first operation and reconnects after outages. Writes are acknowledged
 * by a majority. Reads go to the primary, so that every client reads its own writes. The timeouts keep each operation
 * shorter than the time Kafka allows a consumer.
 */
export function createStore(storeOptions: StoreOptions) {
  const { uri, applicationName, retentionDays, announcing, reads: budgets = noReadBudgets } = storeOptions
  const options = {
    appName: applicationName,
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: 5_000 },
    retryWrites: true,
    retryReads: true,
    readPreference: 'primary',
    serverSelectionTimeoutMS: 2_000,
    connectTimeoutMS: 2_000,
    socketTimeoutMS: 8_000,
    waitQueueTimeoutMS: 8_000,
    ignoreUndefined: true,
  } as const
  const { client, close } = createLastingClient(uri, options)
  // Finding an old position in the oplog takes longer than any other read.
  const watching = createLastingClient(uri, { ...options, socketTimeoutMS: 45_000 })
  const now = createServerClock(client)
  const database = client.db(storeOptions.database)
  const collections = collectionsOf(database)
  const { notifications, bulkMarks, changeEntries, fanOuts, tombstones, erasures, waitingReceipts } = collections
  const { insertNew, erasedPersons, ...writers } = createWriters(collections, { announcing, now })
  const markMany = createMarkMany({ client, notifications, bulkMarks })
  const feeds = { database, collection: notifications, budgets, markMany }
  const sources = { fanOuts, notifications, tombstones, changeEntries, erasures, waitingReceipts }
  return {
    ...writers,
    /** The time by MongoDB's clock, which is the same for all processes. */
    now,
    notifications: {
      /** Stores each notification for all its recipients, except those from whom it was retracted and erased persons. */
      insertNew,
      of: (owner: FeedOwner) => createFeed(feeds, owner),
    },
    changeEntries: createChangeEntries({ database, collection: changeEntries, budgets, erasedPersons }),
    leases: createLeases(collections.leases),
    feedChanges: createFeedChanges(watching.client.db(storeOptions.database)),
    /** The key with which all processes encrypt the ids of stream events: 32 bytes. */
    streamKeys: { get: () => sharedKey(collections.streamKeys, 'event-ids') },
    eventLookup: createEventLookup({ ...sources, erasedPersons }),
    /**
     * Whether a primary responds and everything that {@link migrate} creates exists. Throws if none responds. Warns of
     * collections whose documents expire after a different time than configured.
     */
    async checkReady() {
      const { missing, retention: warnings } = await findDifferences(database, retentionDays)
      if (missing.length === 0) return { ok: true, warnings } as const
      return { ok: false, detail: `Run migrate: ${missing.join('; ')}` } as const
    },
    migrate: () => migrate(database, retentionDays),
    /** The differences that {@link migrate} would remove. */
    planMigration: () => findDifferences(database, retentionDays),
    readState: () => readStorageState(database, collections, retentionDays),
    async close(): Promise<void> {
      await Promise.all([close(), watching.close()])
    },
  }
}
