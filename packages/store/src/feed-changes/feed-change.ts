import { bytesToUuid } from '@herald/contracts'
import { BSON, type Document } from 'mongodb'
import { uuidIn } from '../binary.ts'
import type { FeedOwner } from '../notifications/feed.ts'
import type { BulkMarkDocument, FeedErasureDocument } from '../notifications/mark-many.ts'
import type { NotificationDocument } from '../notifications/notification-document.ts'
import { notificationJson } from '../notifications/notification-json.ts'
import { asBuffer, createDocumentReader, type FieldReader, int32, startOfBinary } from '../wire/bson.ts'
import { endOfText } from '../wire/values.ts'

/** A change of one recipient's feed. */
export type FeedChange =
  /** A new notification, as JSON. */
  | { readonly kind: 'notification'; readonly json: string }
  | { readonly kind: 'read-state'; readonly id: string; readonly readAt: Date | null }
  | { readonly kind: 'retracted'; readonly id: string }
  /** Every notification up to this id was removed, because the recipient was erased. */
  | { readonly kind: 'erased'; readonly upTo: string }
  /** One of the notifications of a bulk mark; `mark` is the same for all of them. */
  | { readonly kind: 'part-of-bulk-mark'; readonly mark: string; readonly id: string; readonly readAt: Date }
  /**
   * The end of a bulk mark; `upTo` is its newest notification, `null` for all. A mark that failed midway has no end.
   */
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
  /** Of an insert. */
  document: '$fullDocument',
  /** Of an update. */
  updated: '$updateDescription.updatedFields',
} as const

/**
 * Passes on new notifications, every change of a read state, retractions, erasures of feeds, and the ends of bulk marks. Each notification of a bulk
 * mark is its own change, so that concurrent changes keep their place among them. Other updates are left out.
 * `readStateAt` is not used: of two marks in one millisecond, only the first changes it.
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

/**
 * The driver leaves documents undecoded only in arrays. So a change is one element of an array, and only those with a follower
 * in this process are decoded.
 */
export const rawFields = { change: true } as const

/** The owner of a feed as a string key. */
export function ownerKey({ subscriberId, recipientId }: FeedOwner): string {
  return `${subscriberId}${recipientId}`.replaceAll('-', '').toLowerCase()
}

type ChangeFields = {
  /** The bytes of the key. */
  key: Buffer
  collection: string
  document: Buffer | undefined
  updated: Buffer | undefined
}
type UpdatedFields = Pick<NotificationDocument, 'readAt' | 'bulkMark' | 'retracted'>

const keyBytes: FieldReader<Pick<ChangeFields, 'key'>> = (target, bytes, at) => {
  const start = startOfBinary(at)
  target.key = bytes.subarray(start, start + int32(bytes, at))
}
const documentBytes = (bytes: Buffer, at: number) => bytes.subarray(at, at + int32(bytes, at))
const noBytes = Buffer.alloc(0)

const readKeyBytes = createDocumentReader<Pick<ChangeFields, 'key'>>({ key: keyBytes })
const readChange = createDocumentReader<ChangeFields>({
  key: keyBytes,
  collection: (target, bytes, at) => {
    target.collection = bytes.toString('utf8', at + 4, endOfText(bytes, at + 4))
  },
  document: (target, bytes, at) => {
    target.document = documentBytes(bytes, at)
  },
  updated: (target, bytes, at) => {
    target.updated = documentBytes(bytes, at)
  },
})

export function ownerKeyIn({ change: [bytes] }: ChangeEvent): string {
  return readKeyBytes(asBuffer(bytes), { key: noBytes }).key.toString('hex', 0, 32)
}

export function toFeedChange({ change: [bytes] }: ChangeEvent): FeedChange {
  const fields = { key: noBytes, collection: '', document: undefined, updated: undefined }
  const { key, collection, document, updated } = readChange(asBuffer(bytes), fields)
  const id = bytesToUuid(key, 32)
  if (updated !== undefined) {
    const { readAt = null, bulkMark, retracted } = BSON.deserialize(updated) as UpdatedFields
    if (retracted) return { kind: 'retracted', id }
    if (readAt === null || bulkMark === undefined) return { kind: 'read-state', id, readAt }
    return { kind: 'part-of-bulk-mark', mark: uuidIn(bulkMark), id, readAt }
  }
  if (document === undefined) throw new TypeError('The change has no document')
  if (collection === 'notifications') return { kind: 'notification', json: notificationJson(document).toString() }
  const { upTo, readAt, erasedUpTo } = BSON.deserialize(document) as BulkMarkDocument & Partial<FeedErasureDocument>
  if (erasedUpTo) return { kind: 'erased', upTo: uuidIn(erasedUpTo) }
  return { kind: 'end-of-bulk-mark', mark: id, upTo: upTo === undefined ? null : uuidIn(upTo), readAt }
}
