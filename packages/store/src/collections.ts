import type { Collection, CreateCollectionOptions, Db, IndexDescription } from 'mongodb'
import type { DigestDocument } from './announcements/digest-document.ts'
import type { ChangeEntryDocument } from './change-entries/change-entry-document.ts'
import type { CreateRequestDocument } from './create-requests/create-requests.ts'
import type { ErasureDocument, ErasureHead } from './erasures/erasure-document.ts'
import type { PersonKeyDocument } from './erasures/person-keys.ts'
import type { FanOutDocument } from './fan-outs/fan-out-document.ts'
import type { TombstoneDocument } from './fan-outs/tombstone-document.ts'
import type { TombstoneHead } from './fan-outs/tombstone-heads.ts'
import type { LeaseDocument } from './leases/lease-document.ts'
import type { BulkMarkDocument, FeedErasureDocument } from './notifications/mark-many.ts'
import type { NotificationDocument } from './notifications/notification-document.ts'
import { headsIndex } from './reading/recent-heads.ts'
import type { WaitingReceiptDocument } from './receipts/waiting-receipt.ts'
import type { StreamKeyDocument } from './stream-keys/stream-keys.ts'

export type IndexPlan = IndexDescription & { readonly name: string }
export type CollectionPlan = {
  readonly name: string
  readonly options: CreateCollectionOptions
  readonly indexes: readonly IndexPlan[]
}

const clustered = { clusteredIndex: { key: { _id: 1 }, unique: true } } as const

/**
 * Smaller blocks than WiredTiger's 32 KB, and 16 KB of indexes: a write to a random feed or log changes one, which is later
 * written as a whole. They are stored in multiples of 512 bytes, because small ones would not be smaller once compressed. The
 * README has the measurements.
 */
const blocks = (kilobytes: 4 | 8 | 16) => ({
  storageEngine: { wiredTiger: { configString: `leaf_page_max=${kilobytes}KB,allocation_size=512B` } },
})

/** Only of documents that have the field, usually few or none. */
const ifPresent = (name: string, field: string): IndexPlan => ({
  name,
  key: { [field]: 1 },
  partialFilterExpression: { [field]: { $exists: true } },
})
const due = ifPresent('due', 'dueAt')
const announce = ifPresent('announce', 'announceAt')

/** Of the heads of subscribers, which are among the events that they summarize. */
const heads: IndexPlan = {
  name: headsIndex,
  key: { until: 1 },
  partialFilterExpression: { version: { $exists: true } },
}

const secondsPerDay = 24 * 60 * 60

/**
 * Every collection with its indexes, as created by `migrate` and verified by the readiness check. The README has the
 * measurements.
 *
 * @param retentionDays days after which notifications and change entries expire; `undefined` for never
 */
export function planCollections(retentionDays: number | undefined): readonly CollectionPlan[] {
  const retentionOf = (key: string, days: number | undefined): readonly IndexPlan[] =>
    days === undefined ? [] : [{ name: retentionIndex, key: { [key]: 1 }, expireAfterSeconds: days * secondsPerDay }]
  const retention = retentionOf('createdAt', retentionDays)
  // A day longer than the notifications, so that none outlives what finds it or keeps it away.
  const longer = retentionDays === undefined ? undefined : retentionDays + 1
  return [
    {
      name: 'notifications',
      options: { ...clustered, ...blocks(8) },
      indexes: [
        { name: 'unread', key: { unread: 1, _id: 1 }, partialFilterExpression: { unread: true }, ...blocks(4) },
        ...retention,
      ],
    },
    {
      name: 'change-entries',
      // A page of a log, or an export of it, reads more documents than a page of a feed.
      options: { ...clustered, ...blocks(16) },
      indexes: [
        { name: 'entity', key: { entityId: 1, _id: 1 } },
        { name: 'user', key: { userId: 1, _id: 1 } },
        ...retention,
      ],
    },
    {
      name: 'fan-outs',
      // Not clustered, like `tombstones`, `erasures` and `waiting-receipts`: MongoDB 6 scans a clustered one for a list of keys.
      options: {},
      indexes: [
        { name: 'location', key: { locationId: 1, _id: 1 } },
        ...[due, announce, ifPresent('unread', 'unreadAt')],
        ...retentionOf('createdAt', longer),
      ],
    },
    {
      name: 'tombstones',
      options: {},
      indexes: [{ name: 'target', key: { target: 1, until: 1 } }, heads, due, ...retentionOf('keptFrom', longer)],
    },
    {
      name: 'digests',
      options: {},
      indexes: [
        { name: 'notifications', key: { notifications: 1 } },
        announce,
        { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
      ],
    },
    {
      name: 'erasures',
      options: {},
      indexes: [
        { name: 'person', key: { target: 1, until: 1 } },
        heads,
        { name: 'open', key: { 'work.phase': 1 }, partialFilterExpression: { work: { $exists: true } } },
        ...retentionOf('keptFrom', longer),
      ],
    },
    { name: 'person-keys', options: {}, indexes: [] },
    { name: 'leases', options: {}, indexes: [] },
    { name: 'migrations', options: {}, indexes: [] },
    {
      name: 'bulk-marks',
      options: clustered,
      indexes: [{ name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
    },
    { name: 'stream-keys', options: clustered, indexes: [] },
    {
      name: 'waiting-receipts',
      options: {},
      indexes: [
        { name: 'notification', key: { key: 1 } },
        { name: 'age', key: { waitingSince: 1 } },
      ],
    },
    {
      name: 'create-requests',
      options: clustered,
      indexes: [{ name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
    },
  ]
}

export const retentionIndex = 'retention'

export function notificationsIn(database: Db): Collection<NotificationDocument> {
  return database.collection('notifications')
}

export function changeEntriesIn(database: Db): Collection<ChangeEntryDocument> {
  return database.collection('change-entries')
}

export function createRequestsIn(database: Db): Collection<CreateRequestDocument> {
  return database.collection('create-requests')
}

export function waitingReceiptsIn(database: Db): Collection<WaitingReceiptDocument> {
  return database.collection('waiting-receipts')
}

export function streamKeysIn(database: Db): Collection<StreamKeyDocument> {
  return database.collection('stream-keys')
}

export function bulkMarksIn(database: Db): Collection<BulkMarkDocument> {
  return database.collection('bulk-marks')
}

export function feedErasuresIn(database: Db): Collection<FeedErasureDocument> {
  return database.collection('bulk-marks')
}

export function fanOutsIn(database: Db): Collection<FanOutDocument> {
  return database.collection('fan-outs')
}

export function tombstonesIn(database: Db): Collection<TombstoneDocument> {
  return database.collection('tombstones')
}

export function tombstoneHeadsIn(database: Db): Collection<TombstoneHead> {
  return database.collection('tombstones')
}

export function erasuresIn(database: Db): Collection<ErasureDocument> {
  return database.collection('erasures')
}

export function erasureHeadsIn(database: Db): Collection<ErasureHead> {
  return database.collection('erasures')
}

export function personKeysIn(database: Db): Collection<PersonKeyDocument> {
  return database.collection('person-keys')
}

export function leasesIn(database: Db): Collection<LeaseDocument> {
  return database.collection('leases')
}

export function digestsIn(database: Db): Collection<DigestDocument> {
  return database.collection('digests')
}
