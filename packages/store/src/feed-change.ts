import { bytesToUuid } from '@herald/contracts'
import type { Binary, Document } from 'mongodb'
import type { FeedOwner } from './feed.ts'
import type { BulkMarkDocument } from './mark-many.ts'
import {
  fromNotificationDocument,
  type NotificationDocument,
  type StoredNotification,
} from './notification-document.ts'

/** Something that happened to one recipient's feed. */
export type FeedChange =
  | { readonly kind: 'notification'; readonly notification: StoredNotification }
  | { readonly kind: 'read-state'; readonly id: string; readonly readAt: Date | null }
  /** Many at once; without `ids` they were too many to be named, `upTo` is the newest that was meant, `null` for all. */
  | {
      readonly kind: 'bulk-mark'
      readonly ids: readonly string[] | null
      readonly upTo: string | null
      readonly readAt: Date
    }

/** What MongoDB tells of a change, as far as {@link feedChangePipeline} lets it through. */
export type ChangeEvent = {
  readonly _id: { readonly _data: string }
  readonly operationType: 'insert' | 'update'
  readonly ns: { readonly coll: string }
  readonly documentKey: { readonly _id: Binary }
  readonly fullDocument?: Document
  readonly updateDescription?: { readonly updatedFields: { readonly readAt?: Date } }
}

const exists = { $exists: true } as const

/**
 * New notifications, single marks and bulk marks. What a bulk mark does to each notification is left out, and so is what
 * leaves the read state alone. `readStateAt` tells nothing here: of two marks in one millisecond it changes with the first.
 */
export const feedChangePipeline: Document[] = [
  {
    $match: {
      $or: [
        { operationType: 'insert', 'ns.coll': { $in: ['notifications', 'bulk-marks'] } },
        {
          operationType: 'update',
          'ns.coll': 'notifications',
          'updateDescription.updatedFields.bulkMark': { $exists: false },
          $or: [
            { 'updateDescription.updatedFields.readAt': exists },
            { 'updateDescription.updatedFields.unread': exists },
          ],
        },
      ],
    },
  },
  {
    $project: {
      operationType: 1,
      'ns.coll': 1,
      'documentKey._id': 1,
      fullDocument: 1,
      'updateDescription.updatedFields.readAt': 1,
    },
  },
]

/** Whose feed a change is about, as text to look it up by. */
export function ownerKey({ subscriberId, recipientId }: FeedOwner): string {
  return `${subscriberId}${recipientId}`.replaceAll('-', '').toLowerCase()
}

export function ownerKeyIn({ documentKey }: ChangeEvent): string {
  return Buffer.from(documentKey._id.buffer).toString('hex', 0, 32)
}

export function toFeedChange({
  operationType,
  ns,
  documentKey,
  fullDocument,
  updateDescription,
}: ChangeEvent): FeedChange {
  if (operationType === 'update') {
    const readAt = updateDescription?.updatedFields.readAt ?? null
    return { kind: 'read-state', id: uuidIn(documentKey._id, 32), readAt }
  }
  if (ns.coll === 'notifications') {
    return { kind: 'notification', notification: fromNotificationDocument(fullDocument as NotificationDocument) }
  }
  const { ids, upTo, readAt } = fullDocument as BulkMarkDocument
  return {
    kind: 'bulk-mark',
    ids: ids?.map((id) => uuidIn(id)) ?? null,
    upTo: upTo === undefined ? null : uuidIn(upTo),
    readAt,
  }
}

function uuidIn({ buffer }: Binary, offset = 0): string {
  return bytesToUuid(buffer as Buffer, offset)
}
