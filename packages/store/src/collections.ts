import type { Binary, Collection, CreateCollectionOptions, Db, IndexDescription } from 'mongodb'
import type { ChangeEntryDocument } from './change-entry-document.ts'
import type { NotificationDocument } from './notification-document.ts'

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

type CollectionPlan = {
  readonly name: string
  readonly options: CreateCollectionOptions
  readonly indexes: readonly (IndexDescription & { readonly name: string })[]
}

const clustered = { clusteredIndex: { key: { _id: 1 }, unique: true } } as const

/** Every collection with its indexes: what `migrate` makes and readiness asks for. The figures behind it: README. */
export const collectionPlans = [
  {
    name: 'notifications',
    options: clustered,
    indexes: [{ name: 'unread', key: { unread: 1, _id: 1 }, partialFilterExpression: { unread: true } }],
  },
  { name: 'change-entries', options: clustered, indexes: [] },
  {
    name: 'create-requests',
    options: clustered,
    indexes: [{ name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
  },
] as const satisfies readonly CollectionPlan[]

export function notificationsIn(database: Db): Collection<NotificationDocument> {
  return database.collection('notifications')
}

export function changeEntriesIn(database: Db): Collection<ChangeEntryDocument> {
  return database.collection('change-entries')
}

export function createRequestsIn(database: Db): Collection<CreateRequestDocument> {
  return database.collection('create-requests')
}
