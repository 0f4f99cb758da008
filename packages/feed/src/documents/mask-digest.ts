import { formatTimestamp, timeOfUuidV7 } from '@herald/contracts'
import { later, uuidIn } from '@herald/mongo'
import { appliesTo, type ErasedPerson, type FindErased } from '@herald/persons'
import type { DigestDocument } from './collections.ts'
import { maskedFields } from './mask.ts'

export type MaskedDigest = Pick<DigestDocument, '_id' | 'notifications' | 'data'>

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
  const { latest } = event
  const erased = (id: string) => {
    const person = find(latest.subscriberId, id)
    return appliesTo(person, new Date(latest.createdAt)) ? person : undefined
  }
  const roles = { author: erased(latest.actorId), subject: erased(latest.subjectId) }
  const masked = maskedFields({ metadata: JSON.stringify(latest.metadata) }, roles)
  const { actor, metadata, updatedAt, ...others } = masked
  if (updatedAt === undefined) return data
  const changed = {
    ...latest,
    ...others,
    ...(actor && { actorId: actor.id, actor }),
    ...(metadata && { metadata: JSON.parse(metadata) }),
    updatedAt: formatTimestamp(later(new Date(latest.updatedAt), updatedAt)),
  }
  return JSON.stringify({ ...event, latest: changed })
}
