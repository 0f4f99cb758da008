/** A notification as the API returns it. */
export type ListedNotification = {
  id: string
  locationType: string
  locationId: string
  subjectId: string
  readAt: string | null
  [field: string]: unknown
}

/** A user of a subscriber, who has a feed. */
export type Recipient = { readonly subscriberId: string; readonly userId: string }

export type Filters = { status?: string; locationType?: string; locationId?: string; subjectId?: string }

/** `readAt` of a read notification whose time no response has shown yet. */
const unknownTime = 'unknown time'

const keyOf = ({ subscriberId, userId }: Recipient) => `${subscriberId}/${userId}`

/** Feeds as plain lists in memory, the reference that Herald must match. */
export function createFeedModel() {
  const feeds = new Map<string, Map<string, ListedNotification>>()
  /** The actor of every notification, retracted or not. */
  const actors = new Map<string, Recipient>()
  const feedOf = (recipient: Recipient) => {
    const feed = feeds.get(keyOf(recipient)) ?? new Map<string, ListedNotification>()
    feeds.set(keyOf(recipient), feed)
    return feed
  }

  const list = (
    recipient: Recipient,
    { status = 'all', ...equal }: Filters = {},
    before?: string,
  ): ListedNotification[] =>
    [...feedOf(recipient).values()]
      .filter(({ readAt }) => status === 'all' || (status === 'read') === (readAt !== null))
      .filter((seen) => Object.entries(equal).every(([name, value]) => value === undefined || seen[name] === value))
      .filter(({ id }) => before === undefined || id < before)
      .sort((a, b) => (a.id < b.id ? 1 : -1))

  return {
    list,
    create: (actor: Recipient, id: string) => void actors.set(id, actor),
    /** @returns whether the actor made the notification */
    retract({ subscriberId, userId }: Recipient, id: string): boolean {
      const actor = actors.get(id)
      if (actor?.subscriberId !== subscriberId || actor.userId !== userId) return false
      for (const [key, feed] of feeds) if (key.startsWith(subscriberId)) feed.delete(id)
      return true
    },
    deliver: (recipient: Recipient, seen: ListedNotification) => feedOf(recipient).set(seen.id, { ...seen }),
    find: (recipient: Recipient, id: string) => feedOf(recipient).get(id),
    unreadCount: (recipient: Recipient) => list(recipient, { status: 'unread' }).length,
    /** @returns the number of changed notifications */
    markRead(recipient: Recipient, chosen: (id: string) => boolean): number {
      const unread = list(recipient, { status: 'unread' }).filter(({ id }) => chosen(id))
      for (const seen of unread) seen.readAt = unknownTime
      return unread.length
    },
    markUnread(recipient: Recipient, id: string) {
      const seen = feedOf(recipient).get(id)
      if (seen) seen.readAt = null
    },
    /** Compares a notification; a `readAt` that is seen for the first time is taken over and must stay equal from then on. */
    isEqual(expected: ListedNotification, seen: ListedNotification): boolean {
      if (expected.readAt === unknownTime && seen.readAt !== null) expected.readAt = seen.readAt
      return JSON.stringify(expected) === JSON.stringify(seen)
    },
  }
}

export type FeedModel = ReturnType<typeof createFeedModel>
