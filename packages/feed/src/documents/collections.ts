import type { LocationType } from '@herald/contracts'
import type { HeadDocument, JsonText } from '@herald/mongo'
import { Binary, type Db } from 'mongodb'
import type { FanOutDocument } from './fan-out-document.ts'
import type { NotificationDocument } from './notification-document.ts'
import type { TombstoneDocument } from './tombstone-document.ts'
import type { WaitingReceiptDocument } from './waiting-receipt.ts'

export type BulkMarkAction = 'read' | 'archived' | 'unarchived'

/** The restrictions of a mark of all; `upTo` is its newest notification. Absent fields restrict nothing. */
export type BulkMarkEnd = {
  upTo?: Binary
  locationType?: LocationType
  locationId?: Binary
  status?: 'read'
}

/** Written when a bulk mark has ended, so that followers can treat it as one change. */
export type BulkMarkDocument = {
  /** subscriber ‖ recipient ‖ id of the mark, 48 bytes. */
  _id: Binary
  v: 1
  at: Date
  /** Set at the end. A mark of a location is written before it begins, too: its parts do not tell it. */
  end?: BulkMarkEnd
  begun?: BulkMarkEnd
  count?: number
  expiresAt: Date
}

/** A location or an actor that a user has muted. */
export type MuteDocument = {
  /** subscriber ‖ kind, one byte ‖ target ‖ user, 49 bytes. */
  _id: Binary
  v: 1
  /** subscriber ‖ user, 32 bytes. */
  user: Binary
  setAt: Date
  /** When it is over; absent for never. */
  until?: Date
}

/** How far a user has seen their feed. */
export type SeenMarkDocument = {
  /** subscriber ‖ user, 32 bytes. */
  _id: Binary
  v: 1
  /** The newest notification seen. Never decreases. */
  upTo: Binary
}

/** Written when a feed was erased, in the same collection, for those who follow changes. Its id is that of the erasure. */
export type FeedErasureDocument = Pick<BulkMarkDocument, '_id' | 'v' | 'expiresAt'> & {
  /** No notification up to this id is left. */
  erasedUpTo: Binary
}

/** A `POST /` with an `Idempotency-Key`, and the content to create for it. */
export type CreateRequestDocument = {
  /** subscriber ‖ user ‖ SHA-256 of the key, 64 bytes. */
  _id: Binary
  v: 1
  /** SHA-256 of the body; empty once it is erased. */
  bodyHash: Binary
  /** The notification to create, as JSON; empty once it is erased. */
  content: string
  erased?: true
  done: boolean
  leaseUntil: Date
  expiresAt: Date
}

/** An erased request has neither content nor hash: a hash would confirm a body that somebody guesses. */
export const erasedRequest = { content: '', bodyHash: new Binary(), erased: true } as const

/** The unread notifications of one recipient at one location that are announced together. Written before it is published. */
export type DigestDocument = {
  /** subscriber ‖ recipient ‖ location ‖ number, 64 bytes. Of two that were computed at once, the second is refused. */
  _id: Binary
  v: 1
  /** The keys of the notifications, newest first. Each is in one digest, so that it is announced as unread once. */
  notifications: Binary[]
  /** Its place among those of the recipient and hour; of two, the second is refused. */
  slot?: Binary
  /** When the oldest of them had been unread for the configured time. */
  time: Date
  /** The data of the event, until it is announced. */
  data?: JsonText
  announceAt?: Date
  /** When it is deleted, announced or not. No notification in it is due any more by then. */
  expiresAt: Date
}

export type FeedCollections = ReturnType<typeof feedCollectionsOf>

/** Some collections contain documents of two forms, and have a name for each. */
export function feedCollectionsOf(database: Db) {
  return {
    notifications: database.collection<NotificationDocument>('notifications'),
    fanOuts: database.collection<FanOutDocument>('fan-outs'),
    tombstones: database.collection<TombstoneDocument>('tombstones'),
    tombstoneHeads: database.collection<HeadDocument>('tombstones'),
    digests: database.collection<DigestDocument>('digests'),
    bulkMarks: database.collection<BulkMarkDocument>('bulk-marks'),
    feedErasures: database.collection<FeedErasureDocument>('bulk-marks'),
    mutes: database.collection<MuteDocument>('mutes'),
    seenMarks: database.collection<SeenMarkDocument>('seen-marks'),
    waitingReceipts: database.collection<WaitingReceiptDocument>('waiting-receipts'),
    createRequests: database.collection<CreateRequestDocument>('create-requests'),
  }
}
