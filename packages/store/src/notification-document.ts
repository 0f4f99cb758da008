import type { Actor, ActorType, LocationType, NotificationType, SubjectType } from '@herald/contracts'
import { bytesToUuid } from '@herald/contracts'
import type { Binary } from 'mongodb'
import { toKey, toUuidBinary } from './binary.ts'

/** JSON as text: free-form parts are kept so, for as BSON some of them throw, vanish or come back in another order. */
export type JsonText = string

type Content = {
  readonly id: string
  readonly subscriberId: string
  readonly type: NotificationType
  readonly actor: Actor
  readonly actorType: ActorType
  readonly subjectId: string
  readonly subjectType: SubjectType
  readonly locationId: string
  readonly locationType: LocationType
  readonly metadata: JsonText
  /** At the same millisecond as the id's. */
  readonly createdAt: Date
}

/** A notification that is to be stored, once for each recipient. */
export type NewNotification = Content & { readonly recipientIds: readonly string[] }

/** A notification as one recipient's document holds it. */
export type StoredNotification = Content & { readonly readAt: Date | null; readonly emailSentAt: Date | null }

/** One self-contained document per recipient and notification. */
export type NotificationDocument = {
  /** subscriber ‖ recipient ‖ id, 48 bytes: a recipient's feed is one range of the collection, in time order. */
  _id: Binary
  /** Version of this document's form; an old and a new release run side by side. */
  v: 1
  /** There only while it is unread, so that the index of the unread holds nothing else. */
  unread?: true
  readAt?: Date
  emailSentAt?: Date
  /** How often the read state has changed; absent: never. What a bulk mark saw must not have changed since. */
  readVersion?: number
  /** The latest time at which its recipient marked it; never goes back. A receipt that is not later does not apply. */
  readStateAt?: Date
  /** The latest time of a read receipt, applied or not; never goes back. So none applies twice. */
  receiptAt?: Date
  /** The mark of many that made it read; there until it is marked unread. */
  bulkMark?: Binary
  createdAt: Date
  type: NotificationType
  actorId: Binary
  actorName: string
  actorImage: string
  actorType: ActorType
  subjectId: Binary
  subjectType: SubjectType
  locationId: Binary
  locationType: LocationType
  metadata: JsonText
}

/** The documents of a notification, one for each recipient, in the recipients' order. */
export function* toNotificationDocuments(notification: NewNotification): Generator<NotificationDocument> {
  const { subscriberId, id, actor, recipientIds } = notification
  const content = {
    v: 1,
    unread: true,
    createdAt: notification.createdAt,
    type: notification.type,
    actorId: toUuidBinary(actor.id),
    actorName: actor.name,
    actorImage: actor.image,
    actorType: notification.actorType,
    subjectId: toUuidBinary(notification.subjectId),
    subjectType: notification.subjectType,
    locationId: toUuidBinary(notification.locationId),
    locationType: notification.locationType,
    metadata: notification.metadata,
  } as const
  for (const recipientId of recipientIds) yield { _id: toKey(subscriberId, recipientId, id), ...content }
}

const uuidIn = (binary: Binary, offset = 0) => bytesToUuid(binary.buffer as Buffer, offset)

/** Whose notification a document is, by its key. */
export function idsIn(key: Binary) {
  return { subscriberId: uuidIn(key), recipientId: uuidIn(key, 16), id: uuidIn(key, 32) }
}

export function fromNotificationDocument(document: NotificationDocument): StoredNotification {
  return {
    id: uuidIn(document._id, 32),
    subscriberId: uuidIn(document._id),
    type: document.type,
    actor: { id: uuidIn(document.actorId), name: document.actorName, image: document.actorImage },
    actorType: document.actorType,
    subjectId: uuidIn(document.subjectId),
    subjectType: document.subjectType,
    locationId: uuidIn(document.locationId),
    locationType: document.locationType,
    metadata: document.metadata,
    createdAt: document.createdAt,
    readAt: document.readAt ?? null,
    emailSentAt: document.emailSentAt ?? null,
  }
}
