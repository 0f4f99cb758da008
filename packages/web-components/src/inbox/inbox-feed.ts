import type { FeedEvent, Notification, NotificationPage, Notifications } from '@herald/client'
import { followFeed } from './follow-feed.ts'
import {
  emptyInbox,
  type InboxState,
  isUnreadIn,
  type Listing,
  type PendingMark,
  withArrival,
  withFirstPage,
  withNextPage,
  withoutRetracted,
  withReadAt,
} from './inbox-state.ts'

/** Announced to screen readers, and reported to the host page. */
export type News =
  | { readonly kind: 'arrived'; readonly notification: Notification }
  | { readonly kind: 'all-marked' | 'offline' | 'online' }
  | { readonly kind: 'mark-failed'; readonly mark: PendingMark; readonly error: unknown }
  | { readonly kind: 'list-failed' | 'stream-refused'; readonly error: unknown }

export type InboxFeedDependencies = {
  readonly notifications: Pick<Notifications, 'list' | 'markRead' | 'markUnread' | 'markManyRead' | 'stream'>
  readonly onChange: (state: InboxState) => void
  readonly onNews: (news: News) => void
  readonly clock?: () => Date
}

/** Notifications on the first page, which fills the panel, and on those that scrolling loads. */
const [firstPage, nextPages] = [20, 50]

export type InboxFeed = ReturnType<typeof createInboxFeed>

/** The state of a user's inbox: updated by the stream, with marks shown before they are confirmed. */
export function createInboxFeed(dependencies: InboxFeedDependencies) {
  const { notifications, onNews, clock = () => new Date() } = dependencies
  const ended = new AbortController()
  let state = emptyInbox
  let listing = new AbortController()
  // A list fetched while the stream was not live may be incomplete.
  let listedWhileNotLive = false
  // A list that was requested before a retraction may arrive after it.
  const retracted = new Set<string>()
  let marks: Promise<unknown> = Promise.resolve()

  const feed = followFeed({
    stream: notifications.stream,
    onEvent,
    onLost: setOffline,
    onRefused(error) {
      set({ connection: 'refused' })
      onNews({ kind: 'stream-refused', error })
    },
  })

  function set(change: Partial<InboxState>): void {
    state = { ...state, ...change }
    if (!ended.signal.aborted) dependencies.onChange(state)
  }

  function onEvent(event: FeedEvent): void {
    if (event.type === 'notification') onArrival(event.notification)
    else if (event.type === 'unread-count') set({ unreadCount: event.unreadCount })
    else if (event.type === 'read-state') {
      const concerned = new Set(event.ids)
      set(withReadAt(state, (id) => concerned.has(id), event.readAt))
    } else if (event.type === 'retracted') {
      for (const id of event.ids) retracted.add(id)
      set(withoutRetracted(state, (id) => retracted.has(id)))
    } else if (event.type === 'bulk-read-state' || event.type === 'bulk-retracted') {
      // Only the list knows which of them.
      void refresh()
    } else if (event.type === 'heartbeat') setLive()
    else if (event.type === 'reset') {
      listedWhileNotLive = true
      setLive()
    }
  }

  function withoutThose(page: NotificationPage): NotificationPage {
    return { ...page, notifications: page.notifications.filter(({ id }) => !retracted.has(id)) }
  }

  function onArrival(notification: Notification): void {
    const isKnown = state.items.some(({ id }) => id === notification.id)
    set(withArrival(state, notification))
    if (!isKnown) onNews({ kind: 'arrived', notification })
  }

  function setOffline(): void {
    if (state.connection === 'live') onNews({ kind: 'offline' })
    set({ connection: 'offline' })
  }

  function setLive(): void {
    if (state.connection === 'offline') onNews({ kind: 'online' })
    if (state.connection !== 'live') set({ connection: 'live' })
    if (listedWhileNotLive || state.phase === 'failed') void refresh()
  }

  async function list(status: Listing): Promise<void> {
    listing.abort()
    listing = new AbortController()
    const signal = AbortSignal.any([ended.signal, listing.signal])
    listedWhileNotLive = state.connection !== 'live'
    if (state.phase !== 'ready' || status !== state.listing) {
      set({ phase: 'loading', listing: status, items: [], nextCursor: null })
    }
    try {
      const page = await notifications.list({ limit: firstPage, status }, { signal })
      // The state of now: events and marks may have changed it during the request.
      set(withFirstPage(state, withoutThose(page)))
    } catch (error) {
      if (signal.aborted) return
      // Keeps the items shown rather than replacing them by an error; the connection state shows that they may be stale.
      if (state.phase === 'ready') listedWhileNotLive = true
      else set({ phase: 'failed', error })
      onNews({ kind: 'list-failed', error })
    }
  }

  async function refresh(): Promise<void> {
    if (state.phase !== 'idle') await list(state.listing)
  }

  /** Sends marks one at a time, so that the last click wins. */
  async function mark<T>(
    pending: PendingMark,
    send: () => Promise<T>,
    apply: (marked: T) => Partial<InboxState>,
  ): Promise<boolean> {
    set({ pending: [...state.pending, pending] })
    const withoutIt = () => state.pending.filter((other) => other !== pending)
    const sent = marks.then(send)
    marks = sent.catch(() => {})
    try {
      const marked = await sent
      set({ ...apply(marked), pending: withoutIt() })
      return true
    } catch (error) {
      set({ pending: withoutIt() })
      if (!ended.signal.aborted) onNews({ kind: 'mark-failed', mark: pending, error })
      return false
    }
  }

  return {
    get state() {
      return state
    },
    start: feed.start,
    stop(): void {
      ended.abort()
      feed.stop()
    },
    /** See {@link followNetwork}. */
    reconnect: feed.restart,
    setOffline,
    list,
    refresh,
    async more(): Promise<void> {
      const { nextCursor: cursor, more, phase, listing: status } = state
      if (cursor === null || more === 'loading' || phase !== 'ready') return
      const signal = AbortSignal.any([ended.signal, listing.signal])
      set({ more: 'loading' })
      try {
        const page = await notifications.list({ limit: nextPages, status, cursor }, { signal })
        set(withNextPage(state, withoutThose(page)))
      } catch {
        if (!signal.aborted) set({ more: 'failed' })
      }
    },
    mark(id: string, read: boolean): Promise<boolean> {
      const { signal } = ended
      const send = () => (read ? notifications.markRead(id, { signal }) : notifications.markUnread(id, { signal }))
      return mark({ kind: 'one', id, read }, send, ({ readAt }) => withReadAt(state, (other) => other === id, readAt))
    },
    /** Marks up to the newest item shown; later arrivals stay unread. */
    async markAll(): Promise<boolean> {
      const upTo = state.items[0]?.id
      if (upTo === undefined) return false
      const readAt = `${clock().toISOString().slice(0, 19)}Z`
      const done = await mark(
        { kind: 'all', upTo },
        () => notifications.markManyRead({ all: true, upTo }, { signal: ended.signal }),
        ({ unreadCount }) => ({
          ...withReadAt(state, (id) => id <= upTo && isUnreadIn(state, id), readAt),
          unreadCount,
        }),
      )
      if (done) onNews({ kind: 'all-marked' })
      return done
    },
  }
}

/** Tells the feed of `online` and `offline` of the browser, which precede the stream's own detection. */
export function followNetwork(feed: Pick<InboxFeed, 'reconnect' | 'setOffline'>, signal: AbortSignal): void {
  window.addEventListener('online', feed.reconnect, { signal })
  window.addEventListener('offline', feed.setOffline, { signal })
}
