import type { Notification } from '@herald/client'

/** A mark that is shown already and not yet answered. */
export type PendingMark =
  | { readonly kind: 'one'; readonly id: string; readonly read: boolean }
  | { readonly kind: 'all'; readonly upTo: string }

export type Listing = 'all' | 'unread'

export type InboxState = {
  readonly listing: Listing
  readonly phase: 'idle' | 'loading' | 'ready' | 'failed'
  /** Why the list could not be had. */
  readonly error?: unknown
  readonly more: 'idle' | 'loading' | 'failed'
  /** What Herald said, newest first; what is pending comes on top of it. */
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

/** One that is new, or was told before; ids stand in the order of time, so one that came late finds its place. */
export function withArrival(state: InboxState, arrived: Notification): InboxState {
  if (state.items.some(({ id }) => id === arrived.id)) return state
  const unread = arrived.readAt === null ? 1 : 0
  const counted = { ...state, unreadCount: state.unreadCount === undefined ? undefined : state.unreadCount + unread }
  if (state.phase !== 'ready' || (state.listing === 'unread' && unread === 0)) return counted
  const at = state.items.findIndex(({ id }) => id < arrived.id)
  // Behind the last that is loaded, and there are more: a later page has it.
  if (at < 0 && state.nextCursor !== null) return counted
  return { ...counted, items: state.items.toSpliced(at < 0 ? state.items.length : at, 0, arrived) }
}

/** Some were marked, here or elsewhere. The count follows at once; the exact one comes after it. */
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

export function isUnreadIn({ items }: InboxState, id: string): boolean {
  return items.some((item) => item.id === id && item.readAt === null)
}

/** The list and the count as the user is to see them: with every mark of his, also those that are on their way. */
export function shown({ items, unreadCount, pending }: InboxState) {
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
