import { type Binary, BSON, type Document } from 'mongodb'
import { uuidIn } from '../documents/binary.ts'
import type { BulkMarkDocument, FeedErasureDocument } from '../documents/collections.ts'
import type { NotificationDocument } from '../documents/notification-document.ts'
import type { FeedOwner } from '../feeds/feed.ts'
import { asBuffer, firstBinary } from '../wire/bson.ts'
import { notificationJson } from '../wire/notification-json.ts'

export type FeedChange =
  | { readonly kind: 'notification'; readonly json: string }
  | { readonly kind: 'read-state'; readonly id: string; readonly readAt: Date | null }
  | { readonly kind: 'retracted'; readonly id: string }
  /** Every notification up to this id was removed, because the recipient was erased. */
  | { readonly kind: 'erased'; readonly upTo: string }
  /** One of the notifications of a bulk mark; `mark` is the same for all of them. */
  | { readonly kind: 'part-of-bulk-mark'; readonly mark: string; readonly id: string; readonly readAt: Date }
  /** The end of a bulk mark; `upTo` is its newest notification, `null` for all. A mark that failed midway has no end. */
  | { readonly kind: 'end-of-bulk-mark'; readonly mark: string; readonly upTo: string | null; readonly readAt: Date }

/** A change event as {@link feedChangePipeline} passes it on. */
export type ChangeEvent = {
  readonly _id: { readonly _data: string }
  /** The fields of {@link changeFields}, as bytes. */
  readonly change: readonly [Uint8Array]
}

const exists = { $exists: true } as const

const changeFields = {
  key: '$documentKey._id',
  collection: '$ns.coll',
  document: ['$fullDocument'],
  updated: '$updateDescription.updatedFields',
} as const

/**
 * Passes on new notifications, every change of a read state, retractions, erasures of feeds, and the ends of bulk marks. Each
 * notification of a bulk mark is its own change, so that concurrent changes keep their place among them. `readStateAt` is not
 * used: of two marks in one millisecond, only the first changes it.
 */
export const feedChangePipeline: Document[] = [
  {
    $match: {
      $or: [
        { operationType: 'insert', 'ns.coll': { $in: ['notifications', 'bulk-marks'] } },
        {
          operationType: 'update',
          'ns.coll': 'notifications',
          $or: [
            { 'updateDescription.updatedFields.readAt': exists },
            { 'updateDescription.updatedFields.unread': exists },
            { 'updateDescription.updatedFields.retracted': exists },
          ],
        },
      ],
    },
  },
  { $project: { change: [changeFields] } },
]

/** The driver leaves documents undecoded only in arrays; only changes with a follower in this process are decoded. */
export const rawFields = { change: true } as const
const rawDocument = { fieldsAsRaw: { document: true } } as const

export function ownerKey({ subscriberId, recipientId }: FeedOwner): string {
  return `${subscriberId}${recipientId}`.replaceAll('-', '').toLowerCase()
}

type Change = {
  readonly key: Binary
  readonly collection: 'notifications' | 'bulk-marks'
  readonly document: readonly [Uint8Array | null]
  readonly updated?: Pick<NotificationDocument, 'readAt' | 'bulkMark' | 'retracted'>
}

export function ownerKeyIn({ change: [change] }: ChangeEvent): string {
  return firstBinary(asBuffer(change), 'key').toString('hex', 0, 32)
}

export function toFeedChange({ change: [change] }: ChangeEvent): FeedChange {
  const {
    key,
    collection,
    document: [bytes],
    updated,
  } = BSON.deserialize(change, rawDocument) as Change
  const id = uuidIn(key, 2)
  if (updated !== undefined) {
    const { readAt = null, bulkMark, retracted } = updated
    if (retracted) return { kind: 'retracted', id }
    if (readAt === null || bulkMark === undefined) return { kind: 'read-state', id, readAt }
    return { kind: 'part-of-bulk-mark', mark: uuidIn(bulkMark), id, readAt }
  }
  if (!bytes) throw new TypeError('The change has no document')
  const document = asBuffer(bytes)
  if (collection === 'notifications') return { kind: 'notification', json: notificationJson(document).toString() }
  const { upTo, readAt, erasedUpTo } = BSON.deserialize(document) as BulkMarkDocument & Partial<FeedErasureDocument>
  if (erasedUpTo) return { kind: 'erased', upTo: uuidIn(erasedUpTo) }
  return { kind: 'end-of-bulk-mark', mark: id, upTo: upTo === undefined ? null : uuidIn(upTo), readAt }
}
