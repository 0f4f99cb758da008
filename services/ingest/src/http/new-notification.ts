import type { Actor, CreatedNotification, CreateNotification } from '@herald/contracts'
import { formatTimestamp } from '@herald/contracts'
import type { NewNotification } from '@herald/store'

export type Author = { readonly subscriberId: string; readonly actor: Actor }

/** Builds the notification of a request. Subscriber and actor come from the token, never from the body. */
export function toNewNotification(
  body: CreateNotification,
  { subscriberId, actor }: Author,
  { id, createdAt, traceparent }: Pick<NewNotification, 'id' | 'createdAt' | 'traceparent'>,
): NewNotification {
  const { mention, add, edit } = body.metadata
  return {
    ...body,
    id,
    createdAt,
    subscriberId,
    actor,
    traceparent,
    metadata: JSON.stringify({ mention, add, edit }),
    via: 'http',
  }
}

export function toCreatedNotification(notification: NewNotification): CreatedNotification {
  const createdAt = formatTimestamp(notification.createdAt)
  return {
    id: notification.id,
    subscriberId: notification.subscriberId,
    type: notification.type,
    actorId: notification.actor.id,
    actorType: notification.actorType,
    subjectId: notification.subjectId,
    subjectType: notification.subjectType,
    locationId: notification.locationId,
    locationType: notification.locationType,
    metadata: JSON.parse(notification.metadata),
    createdAt,
    updatedAt: createdAt,
    actor: notification.actor,
    recipients: notification.recipientIds.map((recipientId) => ({ recipientId, readAt: null, emailSentAt: null })),
  }
}
