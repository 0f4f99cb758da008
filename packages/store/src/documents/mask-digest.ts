import { formatTimestamp, timeOfUuidV7 } from '@herald/contracts'
import { uuidIn } from './binary.ts'
import type { DigestDocument } from './collections.ts'
import { appliesTo, type ErasedPerson, erasedIn, type FindErased, latest, maskNotification } from './mask.ts'

type MaskedDigest = Pick<DigestDocument, '_id' | 'notifications' | 'data'>

const timeOf = (id: string) => new Date(timeOfUuidV7(id) ?? 0)

/** The persons that a digest names, and the time of its oldest notification. */
export function personsInDigest({ _id, notifications, data }: MaskedDigest) {
  const { actorId, subjectId } = data === undefined ? {} : JSON.parse(data).latest
  const oldest = notifications.at(-1)
  return {
    subscriberId: uuidIn(_id),
    createdAt: timeOf(uuidIn(oldest ?? _id, 2)),
    personIds: [uuidIn(_id, 1), actorId, subjectId].filter((id) => id !== undefined) as string[],
  }
}

/** A digest without its erased persons; the same object if there is none, `undefined` if nothing is left. */
export function maskDigest<T extends MaskedDigest>(digest: T, find: FindErased): T | undefined {
  const [subscriberId, recipientId] = [uuidIn(digest._id), uuidIn(digest._id, 1)]
  const left = withoutFeedOf(find(subscriberId, recipientId), digest)
  if (left?.data === undefined) return left
  const data = maskLatest(left.data, find)
  return data === left.data ? left : { ...left, data }
}

function withoutFeedOf<T extends MaskedDigest>(recipient: ErasedPerson | undefined, digest: T): T | undefined {
  const { notifications, data } = digest
  const kept = notifications.filter((key) => !appliesTo(recipient, timeOf(uuidIn(key, 2))))
  if (kept.length === notifications.length) return digest
  if (kept.length === 0) return undefined
  if (data === undefined) return { ...digest, notifications: kept }
  const event = JSON.parse(data)
  const ids = new Set(kept.map((key) => uuidIn(key, 2)))
  const changed = {
    ...event,
    notificationIds: event.notificationIds.filter((id: string) => ids.has(id)),
    total: kept.length,
    unreadCount: Math.max(kept.length, event.unreadCount - (notifications.length - kept.length)),
  }
  return { ...digest, notifications: kept, data: JSON.stringify(changed) }
}

/** The notification in the data of a digest is masked like one that is stored. */
function maskLatest(data: string, find: FindErased): string {
  const event = JSON.parse(data)
  const { createdAt, updatedAt, metadata } = event.latest
  const notification = {
    ...event.latest,
    recipientIds: [],
    metadata: JSON.stringify(metadata),
    createdAt: new Date(createdAt),
  }
  const erased = erasedIn(notification, find)
  if (erased.size === 0) return data
  const masked = maskNotification(notification, erased)
  const changed = {
    ...event.latest,
    actorId: masked.actor.id,
    actor: masked.actor,
    subjectId: masked.subjectId,
    metadata: JSON.parse(masked.metadata),
    updatedAt: formatTimestamp(latest(new Date(updatedAt), masked.updatedAt) as Date),
  }
  return JSON.stringify({ ...event, latest: changed })
}
