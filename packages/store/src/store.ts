import { type ChangeLogs, createChangeLogs, type SequencerPace } from '@herald/change-log'
import {
  type Announcing,
  createFeedChanges,
  createFeeds,
  createMutes,
  type Feed,
  type FeedChanges,
  type FeedOwner,
  type Mutes,
  type StoreNotifications,
} from '@herald/feed'
import {
  type ClusterTimes,
  createClusterTimes,
  createDatabaseReadiness,
  createLeases,
  createServerClock,
  createStorageClient,
  type Differences,
  findDifferences,
  type Leases,
  migrate,
  noReadBudgets,
  type ReadBudgets,
  renewSharedKey,
  sharedKey,
} from '@herald/mongo'
import type { OpenErasures } from '@herald/persons'
import { planCollections } from './collections/collection-plans.ts'
import { collectionsOf } from './collections/collections.ts'
import { createEventLookup, type EventLookup } from './operators/event-lookup.ts'
import { readStorageState, type StorageState } from './operators/storage-state.ts'
import { createGroupNotes, type StoredGroupNotes } from './restores/group-notes.ts'
import { createWriters, type Writers } from './writers.ts'

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
  /** How soon the sequencer of the recorded order notices what is stored. */
  readonly pace?: SequencerPace | undefined
}

export type Notifications = {
  /** Stores each notification for all its recipients, except those from whom it was retracted and erased persons. */
  readonly insertNew: StoreNotifications
  of(owner: FeedOwner): Feed
}

export type Store = Omit<Writers, 'insertNew' | 'erasedPersons'> &
  ChangeLogs & {
    readonly notifications: Notifications
    readonly mutes: { of(owner: FeedOwner): Mutes }
    readonly leases: Leases
    readonly feedChanges: FeedChanges
    /** The key with which all processes encrypt the ids of stream events: 32 bytes. */
    readonly streamKeys: {
      get(): Promise<Buffer>
      /** Replaces the key: no id from before can be resumed, and processes that had the old one notice within 30 s. */
      renew(): Promise<void>
    }
    readonly groupNotes: StoredGroupNotes
    readonly eventLookup: EventLookup
    /** The time by MongoDB's clock, which is the same for all processes. */
    now(): Date
    /** How far a position of a change stream is behind what is stored, see {@link ClusterTimes}. */
    behindMs: ClusterTimes['behindMs']
    /**
     * Whether a primary responds and everything that {@link migrate} creates exists. Throws if none responds. Warns of
     * collections whose documents expire after a different time than configured.
     */
    checkReady(): Promise<{ ok: true; warnings: readonly string[] } | { ok: false; detail: string }>
    migrate(): Promise<void>
    /** The differences that {@link migrate} would remove. */
    planMigration(): Promise<Differences>
    readState(): Promise<StorageState & { openErasures: OpenErasures; dueAnnouncements: OpenErasures }>
    close(): Promise<void>
  }

/** Counting stops here: a larger number changes no decision. */
const countedAtMost = 100_000
const streamKeyId = 'event-ids'

/** Puts what Herald stores on two clients. Does not connect, see {@link createStorageClient}. */
export function createStore(storeOptions: StoreOptions): Store {
  const { uri, applicationName, retentionDays, announcing, pace, reads: budgets = noReadBudgets } = storeOptions
  const { client, close } = createStorageClient(uri, { applicationName })
  // Finding an old position in the oplog takes longer than any other read.
  const watching = createStorageClient(uri, { applicationName, socketTimeoutMS: 45_000 })
  const changes = watching.client.db(storeOptions.database)
  const now = createServerClock(client)
  const { behindMs } = createClusterTimes(client)
  const database = client.db(storeOptions.database)
  const plans = planCollections(retentionDays)
  const readiness = createDatabaseReadiness(database, plans)
  const collections = collectionsOf(database)
  const { notifications, changeEntries, fanOuts, tombstones, erasures, waitingReceipts } = collections
  const { insertNew, erasedPersons, ...writers } = createWriters(collections, { announcing, now })
  const feedOf = createFeeds({ client, ...collections, budgets })
  const changeLogs = createChangeLogs({
    ...collections,
    watching: changes,
    budgets,
    erasedPersons,
    retentionDays,
    now,
    behindMs,
    pace,
  })
  const sources = { fanOuts, notifications, tombstones, changeEntries, erasures, waitingReceipts }
  return {
    ...writers,
    ...changeLogs,
    now,
    behindMs,
    notifications: { insertNew, of: feedOf },
    mutes: { of: createMutes(collections) },
    leases: createLeases(collections.leases),
    feedChanges: createFeedChanges(changes),
    streamKeys: {
      get: () => sharedKey(collections.streamKeys, streamKeyId),
      renew: () => renewSharedKey(collections.streamKeys, streamKeyId),
    },
    groupNotes: createGroupNotes(collections.groupNotes),
    eventLookup: createEventLookup({ ...sources, erasedPersons }),
    async checkReady() {
      const { missing, retention: warnings } = await readiness()
      return missing.length === 0 ? { ok: true, warnings } : { ok: false, detail: `Run migrate: ${missing.join('; ')}` }
    },
    migrate: () => migrate(database, plans),
    planMigration: () => findDifferences(database, plans),
    async readState() {
      const state = await readStorageState(database, collections, plans)
      const [openErasures, { due: count, oldest }] = await Promise.all([
        writers.erasures.readOpen(),
        writers.announcements.countDue(state.now, countedAtMost),
      ])
      return { ...state, openErasures, dueAnnouncements: { count, oldest } }
    },
    async close() {
      await Promise.all([close(), watching.close()])
    },
  }
}
