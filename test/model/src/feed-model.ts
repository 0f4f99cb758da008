/** What a client sees of a notification, by the specification's names. */
export type Seen = {
  id: string
  locationType: string
  locationId: string
  subjectId: string
  readAt: string | null
  [field: string]: unknown
}

/** Somebody with a feed: a user of a subscriber. */
export type Person = { readonly subscriberId: string; readonly userId: string }

export type Filters = { status?: string; locationType?: string; locationId?: string; subjectId?: string }

/** It is read, since a time that nobody has seen yet. */
export const sometime = 'sometime'

const keyOf = ({ subscriberId, userId }: Person) => `${subscriberId}/${userId}`

/** Feeds as plain lists in memory: what Herald must be equal to. */
export function createFeedModel() {
  const feeds = new Map<string, Map<string, Seen>>()
  const feedOf = (person: Person) => {
    const feed = feeds.get(keyOf(person)) ?? new Map<string, Seen>()
    feeds.set(keyOf(person), feed)
    return feed
  }

  const list = (person: Person, { status = 'all', ...equal }: Filters = {}, before?: string): Seen[] =>
    [...feedOf(person).values()]
      .filter(({ readAt }) => status === 'all' || (status === 'read') === (readAt !== null))
      .filter((seen) => Object.entries(equal).every(([name, value]) => value === undefined || seen[name] === value))
      .filter(({ id }) => before === undefined || id < before)
      .sort((a, b) => (a.id < b.id ? 1 : -1))

  return {
    list,
    deliver: (person: Person, seen: Seen) => feedOf(person).set(seen.id, { ...seen }),
    find: (person: Person, id: string) => feedOf(person).get(id),
    unreadCount: (person: Person) => list(person, { status: 'unread' }).length,
    /** @returns how many it changed */
    markRead(person: Person, chosen: (id: string) => boolean): number {
      const unread = list(person, { status: 'unread' }).filter(({ id }) => chosen(id))
      for (const seen of unread) seen.readAt = sometime
      return unread.length
    },
    markUnread(person: Person, id: string) {
      const seen = feedOf(person).get(id)
      if (seen) seen.readAt = null
    },
    /** Equal but for a time that is seen for the first time; from then on it must stay. */
    isEqual(expected: Seen, seen: Seen): boolean {
      if (expected.readAt === sometime && seen.readAt !== null) expected.readAt = seen.readAt
      return JSON.stringify(expected) === JSON.stringify(seen)
    },
  }
}

export type FeedModel = ReturnType<typeof createFeedModel>
