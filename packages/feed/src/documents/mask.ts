import { type JsonText, later, toUuidBinary } from '@herald/mongo'
import { appliesTo, type ErasedPerson, type FindErased } from '@herald/persons'
import type { NewNotification, NotificationDocument } from './notification-document.ts'

function latest(one: Date | undefined, other: Date | undefined): Date | undefined {
  return one && other ? later(one, other) : (one ?? other)
}

function* personsIn({ recipientIds, actor, subjectId }: NewNotification): Generator<string> {
  yield* recipientIds
  yield actor.id
  yield subjectId
}

/** A notification with its persons, which are only read if they are searched. */
export const toWithPersons = (notification: NewNotification) => ({
  subscriberId: notification.subscriberId,
  createdAt: notification.createdAt,
  personIds: { [Symbol.iterator]: () => personsIn(notification) },
})

export function erasedIn(notification: NewNotification, find: FindErased): Map<string, ErasedPerson> {
  const { subscriberId, createdAt } = notification
  const found = new Map<string, ErasedPerson>()
  for (const id of personsIn(notification)) {
    const person = find(subscriberId, id)
    if (appliesTo(person, createdAt)) found.set(id, person)
  }
  return found
}

type ErasedRoles = { readonly author: ErasedPerson | undefined; readonly subject: ErasedPerson | undefined }
type Masked = Partial<Pick<NewNotification, 'actor' | 'subjectId' | 'metadata' | 'updatedAt'>>

/** The fields that differ once the actor or the subject is erased. The masks of all forms are made of these. */
export function maskedFields({ metadata }: { readonly metadata: JsonText }, { author, subject }: ErasedRoles): Masked {
  const updatedAt = latest(author?.until, subject?.until)
  return {
    ...(subject && { subjectId: subject.pseudonym }),
    ...(author && { actor: { id: author.pseudonym, name: '', image: '' }, metadata: maskMetadata(metadata) }),
    ...(updatedAt && { updatedAt }),
  }
}

type MaskingUpdate = {
  readonly $set: Partial<Pick<NotificationDocument, 'actorId' | 'actorName' | 'actorImage' | 'subjectId' | 'metadata'>>
  readonly $max?: { readonly updatedAt: Date }
}

/** Masks a stored document, which may be masked already, by an update. */
export function maskingUpdate(document: { readonly metadata: JsonText }, roles: ErasedRoles): MaskingUpdate {
  const { actor, subjectId, updatedAt, ...others } = maskedFields(document, roles)
  return {
    $set: {
      ...others,
      ...(subjectId && { subjectId: toUuidBinary(subjectId) }),
      ...(actor && { actorId: toUuidBinary(actor.id), actorName: actor.name, actorImage: actor.image }),
    },
    ...(updatedAt && { $max: { updatedAt } }),
  }
}

/** A notification without its erased persons; the same object if there is none. */
export function maskNotification(
  notification: NewNotification,
  erased: ReadonlyMap<string, ErasedPerson>,
): NewNotification {
  if (erased.size === 0) return notification
  const { recipientIds, actor, subjectId } = notification
  const roles = { author: erased.get(actor.id), subject: erased.get(subjectId) }
  return {
    ...notification,
    recipientIds: recipientIds.filter((id) => !erased.has(id)),
    ...maskedFields(notification, roles),
  }
}

/** Empties the texts of the mention; `add` and `edit` are free-form and stay as they are. */
function maskMetadata(metadata: JsonText): JsonText {
  const parsed = JSON.parse(metadata)
  const { mention = {} } = parsed
  // Spreading keeps the order of the keys, and adds none that are absent.
  const texts = Object.fromEntries(['mentionerName', 'snippet'].filter((key) => key in mention).map((key) => [key, '']))
  return JSON.stringify({ ...parsed, mention: { ...mention, ...texts } })
}
