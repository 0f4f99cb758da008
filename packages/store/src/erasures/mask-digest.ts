import { formatTimestamp, timeOfUuidV7 } from '@herald/contracts'
import type { DigestDocument } from '../announcements/digest-document.ts'
import { uuidIn } from '../binary.ts'
import type { ErasedPerson, FindErased } from './erased-persons.ts'
import { appliesTo, latest, maskMetadata } from './mask.ts'

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
  const data = maskLatest(left.data, (personId) => find(subscriberId, personId))
  return data === left.data ? left : { ...left, data }
}

/** The notifications that were created after the erasure of the recipient. */
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

function maskLatest(data: string, find: (personId: string) => ErasedPerson | undefined): string {
  const event = JSON.parse(data)
  const { actorId, subjectId, createdAt, updatedAt, metadata } = event.latest
  const erasedIn = (personId: string) => {
    const person = find(personId)
    return appliesTo(person, new Date(createdAt)) ? person : undefined
  }
  const [author, subject] = [erasedIn(actorId), erasedIn(subjectId)]
  if (author === undefined && subject === undefined) return data
  const time = latest(new Date(updatedAt), latest(author?.until, subject?.until)) as Date
  const changed = {
    ...event.latest,
    ...(subject === undefined ? {} : { subjectId: subject.pseudonym }),
    ...(author === undefined
      ? {}
      : {
          actorId: author.pseudonym,
          metadata: JSON.parse(maskMetadata(JSON.stringify(metadata))),
          actor: { id: author.pseudonym, name: '', image: '' },
        }),
    updatedAt: formatTimestamp(time),
  }
  return JSON.stringify({ ...event, latest: changed })
}
