import type { Notification } from '@herald/client'

/** A mark that is shown but not confirmed yet. */
export type PendingMark =
  | { readonly kind: 'one'; readonly id: string; readonly read: boolean }
  | { readonly kind: 'all'; readonly upTo: string }

export type Listing = 'all' | 'unread'

export type InboxState = {
  readonly listing: Listing
  readonly phase: 'idle' | 'loading' | 'ready' | 'failed'
  /** The reason why the list could not be fetched. */
  readonly error?: unknown
  readonly more: 'idle' | 'loading' | 'failed'
  /** As received from Herald, newest first; pending marks are applied on top. */
  readonly items: readonly Notification[]
  readonly nextCursor: string | null
  readonly unreadCount: number | undefined
  readonly pending: readonly PendingMark[]
  readonly connection: 'connecting' | 'live' | 'offline' | 'refused'
}

export const emptyInbox: InboxState = {
  listing: 'all',
  phase: 'idle',
  more: 'idle',
  items: [],
  nextCursor: null,
  unreadCount: undefined,
  pending: [],
  connection: 'connecting',
}

export function withFirstPage(state: InboxState, page: Page): InboxState {
  return { ...state, phase: 'ready', more: 'idle', items: page.notifications, nextCursor: page.nextCursor }
}

export function withNextPage(state: InboxState, page: Page): InboxState {
  const known = new Set(state.items.map(({ id }) => id))
  const added = page.notifications.filter(({ id }) => !known.has(id))
  return { ...state, more: 'idle', items: [...state.items, ...added], nextCursor: page.nextCursor }
}

/** Inserts a notification unless it is known. Ids are ordered by time, so a late arrival is inserted at its position. */
export function withArrival(state: InboxState, arrived: Notification): InboxState {
  if (state.items.some(({ id }) => id === arrived.id)) return state
  const unread = arrived.readAt === null ? 1 : 0
  const counted = { ...state, unreadCount: state.unreadCount === undefined ? undefined : state.unreadCount + unread }
  if (state.phase !== 'ready' || (state.listing === 'unread' && unread === 0)) return counted
  const at = state.items.findIndex(({ id }) => id < arrived.id)
  // Older than the last loaded item: a later page contains it.
  if (at < 0 && state.nextCursor !== null) return counted
  return { ...counted, items: state.items.toSpliced(at < 0 ? state.items.length : at, 0, arrived) }
}

/** Applies a mark made here or elsewhere. The count is an estimate until the stream sends the exact one. */
export function withReadAt(state: InboxState, concerns: (id: string) => boolean, readAt: string | null): InboxState {
  let change = 0
  const items = state.items.map((item) => {
    if (!concerns(item.id) || item.readAt === readAt) return item
    if ((item.readAt === null) !== (readAt === null)) change += readAt === null ? 1 : -1
    return { ...item, readAt }
  })
  const unreadCount = state.unreadCount === undefined ? undefined : Math.max(0, state.unreadCount + change)
  return { ...state, items, unreadCount }
}

/** Removes retracted notifications. The count is an estimate until the stream sends the exact one. */
export function withoutRetracted(state: InboxState, isRetracted: (id: string) => boolean): InboxState {
  const items = state.items.filter(({ id }) => !isRetracted(id))
  const unread = state.items.filter(({ id, readAt }) => readAt === null && isRetracted(id)).length
  const unreadCount = state.unreadCount === undefined ? undefined : Math.max(0, state.unreadCount - unread)
  return { ...state, items, unreadCount }
}

export function isUnreadIn({ items }: InboxState, id: string): boolean {
  return items.some((item) => item.id === id && item.readAt === null)
}

const shownOf = new WeakMap<InboxState, ReturnType<typeof apply>>()

/** The list and the count to display, with pending marks applied. */
export function shown(state: InboxState) {
  const known = shownOf.get(state) ?? apply(state)
  shownOf.set(state, known)
  return known
}

function apply({ items, unreadCount, pending }: InboxState) {
  const isRead = new Map(items.map(({ id, readAt }) => [id, readAt !== null]))
  let count = unreadCount
  for (const mark of pending) {
    if (mark.kind === 'all') {
      for (const id of isRead.keys()) if (id <= mark.upTo) isRead.set(id, true)
      if (count !== undefined) count = [...isRead.values()].filter((read) => !read).length
    } else if (isRead.has(mark.id) && isRead.get(mark.id) !== mark.read) {
      isRead.set(mark.id, mark.read)
      if (count !== undefined) count = Math.max(0, count + (mark.read ? -1 : 1))
    }
  }
  return {
    unreadCount: count,
    items: items.map((notification) => ({ notification, isRead: isRead.get(notification.id) === true })),
  }
}

type Page = { readonly notifications: readonly Notification[]; readonly nextCursor: string | null }
