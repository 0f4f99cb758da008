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

/** Times in milliseconds. */
type ReadState = {
  readAt: string | null
  emailSentAt: string | null
  emailMs: number
  markedMs: number
  receiptMs: number
}

export type Filters = { status?: string; locationType?: string; locationId?: string; subjectId?: string }

/** `readAt` of a read notification whose time no response has shown yet. */
const unknownTime = 'unknown time'

export const timeOf = (uuidV7: string) => Number.parseInt(uuidV7.replaceAll('-', '').slice(0, 12), 16)

/** Feeds as plain lists in memory, the reference that Herald must match. Nothing is deleted: what is gone is left out. */
export function createFeedModel(persons: ErasedPersons, retractions: Retractions) {
  const created = new Map<string, Created>()
  const states = new Map<string, ReadState>()
  const stateOf = ({ subscriberId, userId }: Recipient, id: string): ReadState => {
    const key = `${subscriberId}/${userId}/${id}`
    const state = states.get(key) ?? {
      readAt: null,
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
    const { readAt, emailSentAt } = stateOf(recipient, id)
    return persons.maskNotification(subscriberId, { ...one.content, readAt, emailSentAt }, one.createdAt)
  }

  const list = (
    recipient: Recipient,
    { status = 'all', ...equal }: Filters = {},
    before?: string,
  ): ListedNotification[] =>
    [...created.keys()]
      .filter((id) => before === undefined || id < before)
      .flatMap((id) => find(recipient, id) ?? [])
      .filter(({ readAt }) => status === 'all' || (status === 'read') === (readAt !== null))
      .filter((seen) => Object.entries(equal).every(([name, value]) => value === undefined || seen[name] === value))
      .sort((a, b) => (a.id < b.id ? 1 : -1))

  return {
    list,
    find,
    /** A replay changes nothing. */
    create: (one: Created) => void (created.has(one.content.id) || created.set(one.content.id, one)),
    /** @returns whether the actor made the notification, and was not erased since */
    retract({ subscriberId, userId }: Recipient, id: string): boolean {
      const one = created.get(id)
      if (one?.subscriberId !== subscriberId || one.content.actorId !== userId) return false
      if (persons.isErased(subscriberId, userId, one.createdAt)) return false
      retractions.add({ subscriberId, notificationId: id })
      return true
    },
    unreadCount: (recipient: Recipient) => list(recipient, { status: 'unread' }).length,
    /** @returns the number of changed notifications */
    markRead(recipient: Recipient, chosen: (id: string) => boolean): number {
      const unread = list(recipient, { status: 'unread' }).filter(({ id }) => chosen(id))
      for (const { id } of unread) Object.assign(stateOf(recipient, id), { readAt: unknownTime, markedMs: Date.now() })
      return unread.length
    },
    markUnread(recipient: Recipient, id: string) {
      const state = stateOf(recipient, id)
      if (state.readAt !== null) Object.assign(state, { readAt: null, markedMs: Date.now() })
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
      if (state.readAt === unknownTime && expected.id === seen.id && seen.readAt !== null) state.readAt = seen.readAt
      return JSON.stringify(find(recipient, expected.id)) === JSON.stringify(seen)
    },
  }
}

export type FeedModel = ReturnType<typeof createFeedModel>
