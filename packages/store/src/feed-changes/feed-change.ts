import type { Binary, Document } from 'mongodb'
import { uuidIn } from '../binary.ts'
import type { FeedOwner } from '../notifications/feed.ts'
import type { BulkMarkDocument } from '../notifications/mark-many.ts'
import { notificationJson } from '../notifications/notification-json.ts'
import { asBuffer } from '../wire/bson.ts'

/** A change of one recipient's feed. */
export type FeedChange =
  /** A new notification, as JSON. */
  | { readonly kind: 'notification'; readonly json: string }
  | { readonly kind: 'read-state'; readonly id: string; readonly readAt: Date | null }
  | { readonly kind: 'retracted'; readonly id: string }
  /** One of the notifications of a bulk mark; `mark` is the same for all of them. */
  | { readonly kind: 'part-of-bulk-mark'; readonly mark: string; readonly id: string; readonly readAt: Date }
  /**
   * The end of a bulk mark; `upTo` is its newest notification, `null` for all. A mark that failed midway has no end.
   */
  | { readonly kind: 'end-of-bulk-mark'; readonly mark: string; readonly upTo: string | null; readonly readAt: Date }

/** The fields of a change event that {@link feedChangePipeline} passes on. */
export type ChangeEvent = {
  readonly _id: { readonly _data: string }
  readonly operationType: 'insert' | 'update'
  readonly ns: { readonly coll: string }
  readonly documentKey: { readonly _id: Binary }
  /** A new notification as bytes; see {@link rawFields}. */
  readonly inserted?: readonly [Uint8Array]
  /** Of a new bulk mark. */
  readonly fullDocument?: Pick<BulkMarkDocument, 'upTo' | 'readAt'>
  readonly updateDescription?: {
    readonly updatedFields: { readonly readAt?: Date; readonly bulkMark?: Binary; readonly retracted?: true }
  }
}

const exists = { $exists: true } as const

/**
 * Passes on new notifications, every change of a read state, retractions, and the ends of bulk marks. Each notification of a bulk
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
  {
    $project: {
      operationType: 1,
      'ns.coll': 1,
      'documentKey._id': 1,
      inserted: { $cond: [{ $eq: ['$operationType', 'insert'] }, ['$fullDocument'], '$$REMOVE'] },
      'fullDocument.upTo': 1,
      'fullDocument.readAt': 1,
      'updateDescription.updatedFields.readAt': 1,
      'updateDescription.updatedFields.bulkMark': 1,
      'updateDescription.updatedFields.retracted': 1,
    },
  },
]

/** The driver leaves documents undecoded only in arrays. So those without a follower in this process stay bytes. */
export const rawFields = { inserted: true } as const

/** The owner of a feed as a string key. */
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
  inserted,
  fullDocument,
  updateDescription,
}: ChangeEvent): FeedChange {
  if (operationType === 'update') {
    const { readAt = null, bulkMark, retracted } = updateDescription?.updatedFields ?? {}
    const id = uuidIn(documentKey._id, 2)
    if (retracted) return { kind: 'retracted', id }
    if (readAt === null || bulkMark === undefined) return { kind: 'read-state', id, readAt }
    return { kind: 'part-of-bulk-mark', mark: uuidIn(bulkMark), id, readAt }
  }
  if (ns.coll === 'notifications') {
    const [document] = inserted as readonly [Uint8Array]
    return { kind: 'notification', json: notificationJson(asBuffer(document)).toString() }
  }
  const { upTo, readAt } = fullDocument as BulkMarkDocument
  const mark = uuidIn(documentKey._id, 2)
  return { kind: 'end-of-bulk-mark', mark, upTo: upTo === undefined ? null : uuidIn(upTo), readAt }
}
