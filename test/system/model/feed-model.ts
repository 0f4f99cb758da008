import type { ErasedPersons } from './erased-persons.ts'
import type { Retractions } from './retractions.ts'

/** A notification as the API returns it. */
export type ListedNotification = {
  id: string
  actorId: string
  subjectId: string
  locationType: string
  locationId: string
  actor: object
  metadata: object
  updatedAt: string
  readAt: string | null
  emailSentAt: string | null
  [field: string]: unknown
}

/** A user of a subscriber, who has a feed. */
export type Recipient = { readonly subscriberId: string; readonly userId: string }

/** A notification of any recipient, as it was created. */
export type Created = {
  readonly subscriberId: string
  readonly content: ListedNotification
  readonly recipientIds: readonly string[]
  readonly createdAt: number
  readonly via: 'http' | 'kafka'
}

/** A mute of a user. */
export type Mute = { readonly kind: 'location' | 'actor'; readonly id: string }

/** A group as the API returns it, its actors by id. */
export type ExpectedGroup = {
  readonly latest: ListedNotification
  readonly count: number
  readonly unreadCount: number
  readonly actorIds: readonly string[]
}

/** Times in milliseconds. */
type ReadState = {
  readAt: string | null
  archivedAt: string | null
  mutedAt: string | null
  emailSentAt: string | null
  emailMs: number
  markedMs: number
  receiptMs: number
}

export type Filters = {
  status?: string
  archived?: string
  locationType?: string
  locationId?: string
  subjectId?: string
  actorId?: string
}

/** A time that no response has shown yet. */
const unknownTime = 'unknown time'
const learnedTimes = ['readAt', 'archivedAt', 'mutedAt'] as const

export const timeOf = (uuidV7: string) => Number.parseInt(uuidV7.replaceAll('-', '').slice(0, 12), 16)

/** Feeds as plain lists in memory, the reference that Herald must match. Nothing is deleted: what is gone is left out. */
export function createFeedModel(persons: ErasedPersons, retractions: Retractions) {
  const created = new Map<string, Created>()
  const states = new Map<string, ReadState>()
  const stateOf = ({ subscriberId, userId }: Recipient, id: string): ReadState => {
    const key = `${subscriberId}/${userId}/${id}`
    const state = states.get(key) ?? {
      readAt: null,
      archivedAt: null,
      mutedAt: null,
      emailSentAt: null,
      emailMs: Number.POSITIVE_INFINITY,
      markedMs: 0,
      receiptMs: 0,
    }
    states.set(key, state)
    return state
  }

  const find = (recipient: Recipient, id: string): ListedNotification | undefined => {
    const { subscriberId, userId } = recipient
    const one = created.get(id)
    if (one?.subscriberId !== subscriberId || !one.recipientIds.includes(userId)) return undefined
    if (persons.isErased(subscriberId, userId, one.createdAt) || retractions.isRetracted(one, userId)) return undefined
    const { readAt, emailSentAt, archivedAt, mutedAt } = stateOf(recipient, id)
    const further = { ...(archivedAt === null ? {} : { archivedAt }), ...(mutedAt === null ? {} : { mutedAt }) }
    return persons.maskNotification(subscriberId, { ...one.content, readAt, emailSentAt, ...further }, one.createdAt)
  }

  const list = (
    recipient: Recipient,
    { status = 'all', archived = 'false', ...equal }: Filters = {},
    before?: string,
  ): ListedNotification[] =>
    [...created.keys()]
      .filter((id) => before === undefined || id < before)
      .flatMap((id) => find(recipient, id) ?? [])
      .filter(({ readAt }) => status === 'all' || (status === 'read') === (readAt !== null))
      .filter(({ archivedAt }) => archived === 'any' || (archived === 'true') === (archivedAt !== undefined))
      .filter((seen) => Object.entries(equal).every(([name, value]) => value === undefined || seen[name] === value))
      .sort((a, b) => (a.id < b.id ? 1 : -1))

  const muted = new Map<string, Map<string, Mute>>()
  const mutesOf = ({ subscriberId, userId }: Recipient) => {
    const own = muted.get(`${subscriberId}/${userId}`) ?? new Map<string, Mute>()
    muted.set(`${subscriberId}/${userId}`, own)
    return own
  }
  const isMuted = (recipient: Recipient, { locationId, actorId }: ListedNotification) =>
    mutesOf(recipient).has(`location/${locationId}`) || mutesOf(recipient).has(`actor/${actorId}`)

  const seen = new Map<string, string>()
  /** The mark goes with the notifications when its user is erased. */
  const seenUpTo = ({ subscriberId, userId }: Recipient): string | null => {
    const mark = seen.get(`${subscriberId}/${userId}`)
    return mark === undefined || persons.isErased(subscriberId, userId, timeOf(mark)) ? null : mark
  }
  /** @returns the number of changed notifications */
  const changeThose = (found: readonly ListedNotification[], change: (id: string) => void): number => {
    for (const { id } of found) change(id)
    return found.length
  }

  return {
    list,
    find,
    /** A replay changes nothing. */
    create(one: Created): void {
      if (created.has(one.content.id)) return
      created.set(one.content.id, one)
      for (const userId of one.recipientIds) {
        const recipient = { subscriberId: one.subscriberId, userId }
        if (!isMuted(recipient, one.content)) continue
        Object.assign(stateOf(recipient, one.content.id), { readAt: unknownTime, mutedAt: unknownTime })
      }
    },
    mutesOf: (recipient: Recipient) => [...mutesOf(recipient).values()].reverse(),
    mute(recipient: Recipient, mute: Mute): void {
      mutesOf(recipient).delete(`${mute.kind}/${mute.id}`)
      mutesOf(recipient).set(`${mute.kind}/${mute.id}`, mute)
    },
    unmute: (recipient: Recipient, { kind, id }: Mute) => void mutesOf(recipient).delete(`${kind}/${id}`),
    seenUpTo,
    markSeen(recipient: Recipient, upTo: string | undefined): void {
      const [newest] = list(recipient, { archived: 'any' }).filter(({ id }) => upTo === undefined || id <= upTo)
      const before = seenUpTo(recipient)
      if (newest === undefined || (before !== null && newest.id <= before)) return
      seen.set(`${recipient.subscriberId}/${recipient.userId}`, newest.id)
    },
    groups(recipient: Recipient, status: string): ExpectedGroup[] {
      const places = Map.groupBy(list(recipient, { status }), (one) => one.locationType + one.locationId)
      return [...places.values()].map((found) => ({
        latest: found[0] as ListedNotification,
        count: found.length,
        unreadCount: found.filter(({ readAt }) => readAt === null).length,
        actorIds: [...new Set(found.map(({ actorId }) => actorId))],
      }))
    },
    /** @returns whether the actor made the notification, and was not erased since */
    retract({ subscriberId, userId }: Recipient, id: string): boolean {
      const one = created.get(id)
      if (one?.subscriberId !== subscriberId || one.content.actorId !== userId) return false
      if (persons.isErased(subscriberId, userId, one.createdAt)) return false
      retractions.add({ subscriberId, notificationId: id })
      return true
    },
    counts(recipient: Recipient) {
      const unread = list(recipient, { status: 'unread' })
      const mark = seenUpTo(recipient)
      const unseen = unread.filter(({ id }) => mark === null || id > mark)
      return { unreadCount: unread.length, unseenCount: unseen.length, seenUpTo: mark }
    },
    markRead: (recipient: Recipient, chosen: (one: ListedNotification) => boolean) =>
      changeThose(list(recipient, { status: 'unread' }).filter(chosen), (id) => {
        Object.assign(stateOf(recipient, id), { readAt: unknownTime, markedMs: Date.now() })
      }),
    archive: (recipient: Recipient, chosen: (one: ListedNotification) => boolean) =>
      changeThose(list(recipient).filter(chosen), (id) => {
        const { readAt } = stateOf(recipient, id)
        const times = { archivedAt: unknownTime, readAt: readAt ?? unknownTime }
        Object.assign(stateOf(recipient, id), { ...times, markedMs: Date.now() })
      }),
    unarchive: (recipient: Recipient, chosen: (one: ListedNotification) => boolean) =>
      changeThose(list(recipient, { archived: 'true' }).filter(chosen), (id) => {
        stateOf(recipient, id).archivedAt = null
      }),
    markUnread(recipient: Recipient, id: string) {
      const state = stateOf(recipient, id)
      const nothing = { readAt: null, archivedAt: null, mutedAt: null }
      if (state.readAt !== null) Object.assign(state, { ...nothing, markedMs: Date.now() })
    },
    emailSent(recipient: Recipient, id: string, at: number, text: string) {
      const state = stateOf(recipient, id)
      if (at < state.emailMs) Object.assign(state, { emailMs: at, emailSentAt: text })
    },
    /** Applies if it is later than the newest mark and every earlier receipt. */
    readElsewhere(recipient: Recipient, id: string, at: number) {
      const state = stateOf(recipient, id)
      if (state.readAt === null && at > state.markedMs && at > state.receiptMs) state.readAt = unknownTime
      state.receiptMs = Math.max(state.receiptMs, at)
    },
    /** Compares a notification; a time or pseudonym that is seen for the first time is taken over and must stay equal from then on. */
    isEqual(recipient: Recipient, expected: ListedNotification, seen: ListedNotification): boolean {
      persons.learn(expected.actorId, seen.actorId)
      persons.learn(expected.subjectId, seen.subjectId)
      const state = stateOf(recipient, expected.id)
      for (const name of learnedTimes) {
        const time = seen[name]
        if (state[name] === unknownTime && expected.id === seen.id && typeof time === 'string') state[name] = time
      }
      return JSON.stringify(find(recipient, expected.id)) === JSON.stringify(seen)
    },
  }
}

export type FeedModel = ReturnType<typeof createFeedModel>
