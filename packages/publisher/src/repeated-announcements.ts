import type { Announcement } from './read-announcement.ts'

type Identity = Pick<Announcement, 'source' | 'id'>

export type RepeatedAnnouncements = {
  /** Whether {@link RepeatedAnnouncements.add} was called for an event with this source and id. */
  has(event: Identity): boolean
  /** Remembers an event. Call it once the event is handled: until then a repetition must be handled, too. */
  add(event: Identity): void
}

/**
 * Recognizes announcements that Herald sends again, in the memory of one process. An effect that must never happen twice needs
 * a unique key in the consumer's own database; `source` and `id` are one.
 *
 * @param size the number of events to remember; the oldest are forgotten first
 */
export function createRepeatedAnnouncements({
  size = 100_000,
}: {
  readonly size?: number
} = {}): RepeatedAnnouncements {
  const known = new Set<string>()
  const keyOf = ({ source, id }: Identity) => JSON.stringify([source, id])
  return {
    has: (event) => known.has(keyOf(event)),
    add(event) {
      known.add(keyOf(event))
      for (const oldest of known) {
        if (known.size <= size) break
        known.delete(oldest)
      }
    },
  }
}
