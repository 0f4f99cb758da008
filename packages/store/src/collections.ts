import type { Binary, Collection, CreateCollectionOptions, Db, IndexDescription } from 'mongodb'
import type { ChangeEntryDocument } from './change-entry-document.ts'
import type { NotificationDocument } from './notification-document.ts'
import type { ReceiptKind } from './receipts.ts'

/** A `POST /` with an `Idempotency-Key`: what was asked, and what is made of it. */
export type CreateRequestDocument = {
  /** subscriber ‖ user ‖ SHA-256 of the key, 64 bytes. */
  _id: Binary
  v: 1
  bodyHash: Binary
  /** What is to be made, in the form that the creating service gave it. */
  content: string
  done: boolean
  leaseUntil: Date
  expiresAt: Date
}

/** A receipt that came before its notification. */
export type WaitingReceiptDocument = {
  /** The key of the notification's document ‖ the id of the receipt's event, 64 bytes. */
  _id: Binary
  v: 1
  /** The key of the notification's document: subscriber ‖ recipient ‖ id. */
  key: Binary
  kind: ReceiptKind
  at: Date
  waitingSince: Date
  /** Until then somebody is making a dead letter of it. */
  leaseUntil: Date
  /** The record that it was, in the form that the consumer gave it. */
  record: string
}

/** Many notifications that were marked read as one deed, written when all of them are marked. */
export type BulkMarkDocument = {
  /** subscriber ‖ recipient ‖ id of the mark, 48 bytes. */
  _id: Binary
  v: 1
  readAt: Date
  count: number
  /** Which they are; not there when they are more than 1,000. */
  ids?: Binary[]
  /** The newest that was meant; not there when all were. */
  upTo?: Binary
  expiresAt: Date
}

export type IndexPlan = IndexDescription & { readonly name: string }
export type CollectionPlan = {
  readonly name: string
  readonly options: CreateCollectionOptions
  readonly indexes: readonly IndexPlan[]
}

const clustered = { clusteredIndex: { key: { _id: 1 }, unique: true } } as const

const secondsPerDay = 24 * 60 * 60

/**
 * Every collection with its indexes: what `migrate` makes and readiness asks for. The figures behind it: README.
 *
 * @param retentionDays after so many days notifications and change entries expire; never when it is not given
 */
export function planCollections(retentionDays: number | undefined): readonly CollectionPlan[] {
  const retention: readonly IndexPlan[] =
    retentionDays === undefined
      ? []
      : [{ name: retentionIndex, key: { createdAt: 1 }, expireAfterSeconds: retentionDays * secondsPerDay }]
  return [
    {
      name: 'notifications',
      options: clustered,
      indexes: [
        { name: 'unread', key: { unread: 1, _id: 1 }, partialFilterExpression: { unread: true } },
        ...retention,
      ],
    },
    {
      name: 'change-entries',
      options: clustered,
      indexes: [
        { name: 'entity', key: { entityId: 1, _id: 1 } },
        { name: 'user', key: { userId: 1, _id: 1 } },
        ...retention,
      ],
    },
    {
      name: 'bulk-marks',
      options: clustered,
      indexes: [{ name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
    },
    {
      name: 'waiting-receipts',
      options: clustered,
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

export function bulkMarksIn(database: Db): Collection<BulkMarkDocument> {
  return database.collection('bulk-marks')
}
