import type { StoredChangeEntry } from '../change-entries/change-entry-document.ts'
import type { JsonText, NewNotification } from '../notifications/notification-document.ts'
import type { ErasedPerson, FindErased } from './erased-persons.ts'

/** Whether the erasure of a person applies to something of this time. */
export const appliesTo = (person: ErasedPerson | undefined, createdAt: Date): person is ErasedPerson =>
  person !== undefined && createdAt <= person.until

/** The persons in a notification, with repeats. */
function* personsIn({ recipientIds, actor, subjectId }: NewNotification): Generator<string> {
  yield* recipientIds
  yield actor.id
  yield subjectId
}

/** A notification with its persons, which are only read if they are searched. */
export const toWithPersons = (notification: NewNotification) => ({
  ...{ subscriberId: notification.subscriberId, createdAt: notification.createdAt },
  personIds: { [Symbol.iterator]: () => personsIn(notification) },
})

/** The erased persons in a notification, by their ids. */
export function erasedIn(notification: NewNotification, find: FindErased): Map<string, ErasedPerson> {
  const { subscriberId, createdAt } = notification
  const found = new Map<string, ErasedPerson>()
  for (const id of personsIn(notification)) {
    const person = find(subscriberId, id)
    if (appliesTo(person, createdAt)) found.set(id, person)
  }
  return found
}

/** A notification without its erased persons; the same object if there is none. */
export function maskNotification(
  notification: NewNotification,
  erased: ReadonlyMap<string, ErasedPerson>,
): NewNotification {
  if (erased.size === 0) return notification
  const { recipientIds, actor, subjectId, metadata } = notification
  const [author, subject] = [erased.get(actor.id), erased.get(subjectId)]
  const updatedAt = latest(author?.until, subject?.until)
  return {
    ...notification,
    recipientIds: recipientIds.filter((id) => !erased.has(id)),
    ...(subject === undefined ? {} : { subjectId: subject.pseudonym }),
    ...(author === undefined
      ? {}
      : { actor: { id: author.pseudonym, name: '', image: '' }, metadata: maskMetadata(metadata) }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
  }
}

/** Empties the texts of the mention; `add` and `edit` are free-form and stay as they are. */
export function maskMetadata(metadata: JsonText): JsonText {
  const parsed = JSON.parse(metadata)
  const { mention = {} } = parsed
  // Spreading keeps the order of the keys, and adds none that are absent.
  const texts = Object.fromEntries(['mentionerName', 'snippet'].filter((key) => key in mention).map((key) => [key, '']))
  return JSON.stringify({ ...parsed, mention: { ...mention, ...texts } })
}

/** A change entry without its user, if they were erased; otherwise the same object. */
export function maskChangeEntry(entry: StoredChangeEntry, find: FindErased): StoredChangeEntry {
  const person = find(entry.subscriberId, entry.user.id)
  if (!appliesTo(person, entry.createdAt)) return entry
  return { ...entry, user: { id: person.pseudonym, name: '', email: '' } }
}

export function latest(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one > other ? one : other
}
