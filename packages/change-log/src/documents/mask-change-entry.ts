import { appliesTo, type FindErased } from '@herald/persons'
import type { StoredChangeEntry } from './change-entry-document.ts'

/** A change entry without its user, if they were erased; otherwise the same object. */
export function maskChangeEntry(entry: StoredChangeEntry, find: FindErased): StoredChangeEntry {
  const person = find(entry.subscriberId, entry.user.id)
  if (!appliesTo(person, entry.createdAt)) return entry
  return { ...entry, user: { id: person.pseudonym, name: '', email: '' } }
}
