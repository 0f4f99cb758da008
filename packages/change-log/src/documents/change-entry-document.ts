import type { ChangeEntry } from '@herald/contracts'
import { type JsonText, toKey, toUuidBinary } from '@herald/mongo'
import type { Binary } from 'mongodb'

export type StoredChangeEntry = Readonly<Omit<ChangeEntry, 'createdAt' | 'beforeState' | 'afterState'>> & {
  readonly subscriberId: string
  readonly beforeState: JsonText
  readonly afterState: JsonText
  /** Equals the time in the id. */
  readonly createdAt: Date
}

export type ChangeEntryDocument = Omit<StoredChangeEntry, 'id' | 'subscriberId' | 'user'> & {
  /** subscriber ‖ id, 32 bytes: the log of a subscriber is one range of the collection, in time order. */
  _id: Binary
  v: 1
  userId: Binary
  userName: string
  userEmail: string
}

export function toChangeEntryDocument(entry: StoredChangeEntry): ChangeEntryDocument {
  return {
    _id: toKey(entry.subscriberId, entry.id),
    v: 1,
    createdAt: entry.createdAt,
    userId: toUuidBinary(entry.user.id),
    userName: entry.user.name,
    userEmail: entry.user.email,
    entityType: entry.entityType,
    entityId: entry.entityId,
    entityTitle: entry.entityTitle,
    actionType: entry.actionType,
    changedField: entry.changedField,
    beforeState: entry.beforeState,
    afterState: entry.afterState,
  }
}
