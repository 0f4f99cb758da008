import type { Actor, ActorType, LocationType, NotificationType, SubjectType } from '@herald/contracts'
import { hex, type JsonText, toKey, toUuidBinary, uuidIn } from '@herald/mongo'
import type { Binary } from 'mongodb'

export type NewNotification = {
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
  /** Equals the time in the id. */
  readonly createdAt: Date
  readonly recipientIds: readonly string[]
  /** When a person in it was erased; absent if it never changed. */
  readonly updatedAt?: Date | undefined
  /** Created by `POST /`, whose time is from Herald's clock; absent for events. */
  readonly via?: 'http' | undefined
  /** From then on, another process finishes storing it if this one has died. For requests, which are not redelivered. */
  readonly finishBy?: Date | undefined
  readonly traceparent?: string | undefined
}

/** The notification of a request as text, in its fan-out and with its `Idempotency-Key`. */
export function toRequestContent({ finishBy: _, ...notification }: NewNotification): string {
  return JSON.stringify(notification)
}

export function fromRequestContent(content: string): NewNotification {
  const { createdAt, updatedAt, ...notification } = JSON.parse(content)
  return {
    ...notification,
    createdAt: new Date(createdAt),
    ...(updatedAt === undefined ? {} : { updatedAt: new Date(updatedAt) }),
  }
}

/** The recipients who had muted the location or the actor when it was first stored, and when that was. */
export type Muted = { readonly at: Date; readonly recipientIds: ReadonlySet<string> }

/** Where a notification is in its feed. Each is one range of an index; those removed are about to be deleted. */
export const boxes = { unread: 0, read: 1, archived: 2, removed: 3 } as const
export type Box = (typeof boxes)[keyof typeof boxes]

/** One self-contained document per recipient and notification. */
export type NotificationDocument = {
  /** subscriber ‖ recipient ‖ id, 48 bytes: a recipient's feed is one range of the collection, in time order. */
  _id: Binary
  /** Version of the document format; an old and a new release run side by side. */
  v: 1
  box: Box
  readAt?: Date
  archivedAt?: Date
  /** When it was stored as read, because its recipient had muted its location or actor. */
  mutedAt?: Date
  emailSentAt?: Date
  /** How often its recipient took a mark back; absent for 0. A bulk mark skips notifications whose version has changed. */
  readVersion?: number
  /** The latest time of a mark by the recipient; never decreases. A receipt must be later to apply. */
  readStateAt?: Date
  /** The latest time of a read receipt, applied or not; never decreases. So none applies twice. */
  receiptAt?: Date
  /** The last bulk mark that changed it; removed when it is marked unread. */
  bulkMark?: Binary
  /** Set just before it is deleted because of a retraction, for those who follow changes. */
  retracted?: true
  createdAt: Date
  /** When a person in it was erased; absent if the content never changed. */
  updatedAt?: Date
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

/** The documents of a notification, one for each recipient, in the order of the recipients. */
export function* toNotificationDocuments(
  notification: NewNotification,
  muted?: Muted,
): Generator<NotificationDocument> {
  const { subscriberId, id, actor, recipientIds, updatedAt } = notification
  const [first, ...others] = recipientIds
  if (first === undefined) return
  const document: NotificationDocument = {
    _id: toKey(subscriberId, first, id),
    v: 1,
    box: boxes.unread,
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
  }
  if (updatedAt !== undefined) document.updatedAt = updatedAt
  if (muted === undefined) {
    yield document
    for (const recipientId of others) yield { ...document, _id: toKey(subscriberId, recipientId, id) }
    return
  }
  const asRead = { box: boxes.read, readAt: muted.at, mutedAt: muted.at }
  for (const recipientId of recipientIds) {
    const own = { ...document, _id: toKey(subscriberId, recipientId, id) }
    yield muted.recipientIds.has(recipientId) ? Object.assign(own, asRead) : own
  }
}

export function idsIn(key: Binary) {
  return { subscriberId: uuidIn(key), recipientId: uuidIn(key, 1), id: uuidIn(key, 2) }
}

/** The key of its fan-out. */
export const notificationKey = ({ subscriberId, id }: Pick<NewNotification, 'subscriberId' | 'id'>) =>
  toKey(subscriberId, id)

/** The key of the fan-out of a document, as text. */
export const fanOutKeyIn = (key: Binary) => hex(key).slice(0, 32) + hex(key).slice(64)

/** The owner of a feed. Without both ids, no notification can be read or marked. */
export type FeedOwner = { readonly subscriberId: string; readonly recipientId: string }

/**
 * Leaves out notifications that a retraction is about to delete. A condition on the boxes would make MongoDB read a page from their
 * index, which takes 1.6 to 2 times as long as from the collection.
 */
export const notRemoved = { retracted: { $exists: false } } as const
