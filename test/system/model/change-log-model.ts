import type { ErasedPersons } from './erased-persons.ts'
import { timeOf } from './feed-model.ts'

/** A change entry as the API returns it. */
export type ListedEntry = { id: string; user: { id: string; name: string; email: string }; [field: string]: unknown }

/** The change logs of subscribers, of which nothing is ever removed. */
export function createChangeLogModel(persons: ErasedPersons) {
  const logs = new Map<string, Map<string, ListedEntry>>()

  const masked = (subscriberId: string, entry: ListedEntry): ListedEntry => {
    const id = persons.maskId(subscriberId, entry.user.id, timeOf(entry.id))
    return id === entry.user.id ? entry : { ...entry, user: { id, name: '', email: '' } }
  }
  const list = (subscriberId: string): ListedEntry[] =>
    [...(logs.get(subscriberId)?.values() ?? [])]
      .map((entry) => masked(subscriberId, entry))
      .sort((a, b) => (a.id < b.id ? 1 : -1))

  return {
    list,
    /** A replay changes nothing. */
    record(subscriberId: string, entry: ListedEntry) {
      const log = logs.get(subscriberId) ?? new Map<string, ListedEntry>()
      logs.set(subscriberId, log)
      if (!log.has(entry.id)) log.set(entry.id, entry)
    },
    /** Takes over pseudonyms that are seen for the first time. */
    isEqual(subscriberId: string, seen: readonly ListedEntry[]): boolean {
      for (const [n, { user }] of list(subscriberId).entries()) persons.learn(user.id, seen[n]?.user.id)
      return JSON.stringify(list(subscriberId)) === JSON.stringify(seen)
    },
  }
}

export type ChangeLogModel = ReturnType<typeof createChangeLogModel>
