import type { LocationType } from '@herald/contracts'
import { asBuffer, firstBinary, uuidIn } from '@herald/mongo'
import { type Binary, BSON, type Document } from 'mongodb'
import type { BulkMarkDocument, BulkMarkEnd, FeedErasureDocument, SeenMarkDocument } from '../documents/collections.ts'
import { boxes, type FeedOwner, type NotificationDocument } from '../documents/notification-document.ts'
import { notificationJson } from '../json/notification-json.ts'

export type FeedChange =
  | { readonly kind: 'notification'; readonly json: string }
  | { readonly kind: 'read-state'; readonly id: string; readonly readAt: Date | null }
  | { readonly kind: 'archive-state'; readonly id: string; readonly archivedAt: Date | null }
  | { readonly kind: 'seen'; readonly upTo: string }
  | { readonly kind: 'retracted'; readonly id: string }
  /** Every notification up to this id was removed, because the recipient was erased. */
  | { readonly kind: 'erased'; readonly upTo: string }
  /** An erasure has changed the notification of another recipient. */
  | { readonly kind: 'masked' }
  /** One of the notifications of a bulk mark; `mark` is the same for all of them. */
  | ({ readonly kind: 'part-of-bulk-mark'; readonly mark: string; readonly id: string } & Marked)
  /** The beginning of a bulk mark that is restricted by more than `upTo`, or too large to name its notifications. */
  | { readonly kind: 'begin-of-bulk-mark'; readonly mark: string; readonly selected: Selected }
  /** The end of a bulk mark. A mark that failed midway has none. */
  | { readonly kind: 'end-of-bulk-mark'; readonly mark: string; readonly selected: Selected }

/** The action of a mark and its time; taking out of the archive has none. */
export type Marked =
  | { readonly action: 'read' | 'archived'; readonly at: Date }
  | { readonly action: 'unarchived'; readonly at: null }

/** The selection of a bulk mark; `upTo` is its newest notification. Absent fields restrict nothing. */
export type Selected = {
  readonly upTo?: string
  readonly locationType?: LocationType
  readonly locationId?: string
  readonly status?: 'read'
}

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
  updated: { $unsetField: { field: 'metadata', input: '$updateDescription.updatedFields' } },
} as const

/** Only erasures change any of these fields. */
const masked = ['actorId', 'subjectId', 'updatedAt'] as const

/**
 * Passes on new notifications, every change of the box that one is in, retractions, erasures of feeds and of persons in others'
 * feeds, what was seen, and the beginnings and ends of bulk marks. Each notification of a bulk mark is its own change, so that concurrent changes keep their
 * place among them. `readStateAt` is not used: of two marks in one millisecond, only the first changes it.
 */
export const feedChangePipeline: Document[] = [
  {
    $match: {
      $or: [
        { operationType: 'insert', 'ns.coll': { $in: ['notifications', 'bulk-marks', 'seen-marks'] } },
        ...['box', ...masked].map((field) => ({
          operationType: 'update',
          'ns.coll': 'notifications',
          [`updateDescription.updatedFields.${field}`]: exists,
        })),
        { operationType: 'update', 'ns.coll': { $in: ['bulk-marks', 'seen-marks'] } },
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
  readonly collection: 'notifications' | 'bulk-marks' | 'seen-marks'
  readonly document: readonly [Uint8Array | null]
  /** Only updates have these fields. */
  readonly updated?: Partial<NotificationDocument & BulkMarkDocument & SeenMarkDocument> | null
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
  if (collection === 'notifications' && updated) return toMark(uuidIn(key, 2), updated)
  if (!updated && !bytes) throw new TypeError('The change has no document')
  const document = asBuffer(bytes ?? new Uint8Array())
  if (collection === 'notifications') return { kind: 'notification', json: notificationJson(document).toString() }
  const changed = updated ?? BSON.deserialize(document)
  if (collection === 'seen-marks') return { kind: 'seen', upTo: uuidIn((changed as SeenMarkDocument).upTo) }
  const { begun, end = {}, erasedUpTo } = changed as Partial<BulkMarkDocument & FeedErasureDocument>
  if (erasedUpTo) return { kind: 'erased', upTo: uuidIn(erasedUpTo) }
  const mark = uuidIn(key, 2)
  return begun
    ? { kind: 'begin-of-bulk-mark', mark, selected: toSelected(begun) }
    : { kind: 'end-of-bulk-mark', mark, selected: toSelected(end) }
}

/** Only what is unread had no `readAt`, so whatever is read and did not get one was archived. */
function toMark(id: string, updated: Partial<NotificationDocument>): FeedChange {
  const { box, readAt, archivedAt, bulkMark } = updated
  if (box === undefined) return { kind: 'masked' }
  if (box === boxes.removed) return { kind: 'retracted', id }
  if (box === boxes.unread) return { kind: 'read-state', id, readAt: null }
  const mark = bulkMark && uuidIn(bulkMark)
  if (box === boxes.archived && archivedAt) {
    if (mark === undefined) return { kind: 'archive-state', id, archivedAt }
    return { kind: 'part-of-bulk-mark', mark, id, action: 'archived', at: archivedAt }
  }
  if (readAt) {
    if (mark === undefined) return { kind: 'read-state', id, readAt }
    return { kind: 'part-of-bulk-mark', mark, id, action: 'read', at: readAt }
  }
  if (mark === undefined) return { kind: 'archive-state', id, archivedAt: null }
  return { kind: 'part-of-bulk-mark', mark, id, action: 'unarchived', at: null }
}

const toSelected = ({ upTo, locationId, ...others }: BulkMarkEnd): Selected => ({
  ...(upTo === undefined ? {} : { upTo: uuidIn(upTo) }),
  ...others,
  ...(locationId === undefined ? {} : { locationId: uuidIn(locationId) }),
})
