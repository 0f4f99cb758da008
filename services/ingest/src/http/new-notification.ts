import type { Actor, CreateNotification } from '@herald/contracts'
import type { NewNotification } from '@herald/feed'

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
