import type { FeedEvent, Notification, Notifications } from '@herald/client'
import type { Mark } from './changes.ts'
import { followFeed } from './follow-feed.ts'
import type { Group } from './groups.ts'
import { createInboxLists } from './inbox-lists.ts'
import { createInboxMarks } from './inbox-marks.ts'
import { createInboxSeen } from './inbox-seen.ts'
import { type InboxState, isKnown } from './inbox-state.ts'
import { createInboxStore } from './inbox-store.ts'

/** Announced to screen readers, and reported to the host page. */
export type News =
  | { readonly kind: 'arrived'; readonly notification: Notification }
  | { readonly kind: 'all-marked' | 'offline' | 'online' }
  | { readonly kind: 'mark-failed'; readonly mark: Mark; readonly error: unknown }
  | { readonly kind: 'list-failed' | 'stream-refused'; readonly error: unknown }

export type InboxFeedDependencies = {
  readonly notifications: Pick<
    Notifications,
    | 'list'
    | 'groups'
    | 'counts'
    | 'markRead'
    | 'markUnread'
    | 'markManyRead'
    | 'markSeen'
    | 'archive'
    | 'archiveMany'
    | 'unarchive'
    | 'stream'
  >
  readonly onChange: (state: InboxState) => void
  readonly onNews: (news: News) => void
  readonly clock?: () => Date
  /** Milliseconds in which an archive can be undone, before it is saved. */
  readonly undoMs?: number
  readonly grouped?: boolean
}

/** The notifications of one location, up to the newest one shown. */
export type GroupMark = Pick<Group, 'locationType' | 'locationId' | 'items'>

export type InboxFeed = ReturnType<typeof createInboxFeed>

/** The state of a user's inbox: updated by the stream, with marks shown before they are confirmed. */
export function createInboxFeed(dependencies: InboxFeedDependencies) {
  const { notifications, onNews, clock = () => new Date(), undoMs = 5_000, grouped = false } = dependencies
  const ended = new AbortController()
  const { signal } = ended
  const isOver = () => signal.aborted
  const report = (news: News) => isOver() || onNews(news)
  const store = createInboxStore({
    onChange: (state) => isOver() || dependencies.onChange(state),
    onUnclear: () => lists.refreshSoon(),
  })
  const lists = createInboxLists({
    source: notifications,
    store,
    ended: signal,
    isGrouped: grouped,
    onFailed: (error) => report({ kind: 'list-failed', error }),
  })
  const marks = createInboxMarks({
    store,
    undoMs,
    onFailed: (mark, error) => report({ kind: 'mark-failed', mark, error }),
  })
  const seen = createInboxSeen((options) => notifications.markSeen({ ...options, signal }), store)
  const feed = followFeed({
    stream: notifications.stream,
    onEvent,
    onLost: setOffline,
    onRefused(error) {
      store.set({ connection: 'refused' })
      void readCounts()
      report({ kind: 'stream-refused', error })
    },
  })

  function onEvent(event: FeedEvent): void {
    const { type } = event
    if (type === 'unread-count') store.count({ unreadCount: event.unreadCount, unseenCount: event.unseenCount })
    else if (type === 'seen') store.set({ seenUpTo: event.seenUpTo })
    else if (type === 'heartbeat') setLive()
    else if (type === 'reset') {
      store.set({ seenUpTo: undefined })
      void readCounts()
      setLive(true)
    } else if (type === 'notification') onArrival(event.notification)
    else if (type !== 'open' && type !== 'lost') {
      store.apply(marks.explained(event))
      marks.settle(event)
    }
  }

  function onArrival(notification: Notification): void {
    const isNew = !isKnown(store.state, notification.id)
    store.apply({ type: 'notification', notification })
    // Muted notifications are listed but not announced.
    if (isNew && notification.mutedAt === undefined) report({ kind: 'arrived', notification })
  }

  function setOffline(): void {
    if (store.state.connection === 'live') report({ kind: 'offline' })
    store.set({ connection: 'offline' })
    void readCounts()
  }

  function setLive(isReset = false): void {
    if (store.state.connection === 'offline') report({ kind: 'online' })
    if (store.state.connection !== 'live') store.set({ connection: 'live' })
    lists.onLive(isReset)
  }

  /** Reads the counts that the stream has not sent yet, and the mark of what was seen, which it sends only when it moves. */
  async function readCounts(): Promise<void> {
    const { unreadCount, seenUpTo } = store.state
    if (unreadCount !== undefined && seenUpTo !== undefined) return
    const read = await notifications.counts({ signal }).catch(() => undefined)
    if (!read) return
    const { state } = store
    store.set({
      unreadCount: state.unreadCount ?? read.unreadCount,
      unseenCount: state.unseenCount ?? read.unseenCount,
      seenUpTo: state.seenUpTo ?? read.seenUpTo,
    })
  }

  async function list(listing: InboxState['listing']): Promise<void> {
    void readCounts()
    await lists.list(listing)
  }

  const now = () => `${clock().toISOString().slice(0, 19)}Z`
  const newest = () => (store.state.groups?.[0] ?? store.state).items[0]?.id
  /** Selects a group up to the newest notification shown, so that later arrivals are left alone. */
  const allOf = ({ locationType, locationId, items }: GroupMark) =>
    ({ all: true, upTo: String(items[0]?.id), locationType, locationId }) as const

  const { refresh, group, more, moreOf, toggleGroup } = lists
  return {
    get state() {
      return store.state
    },
    start: feed.start,
    stop(): void {
      marks.leave()
      ended.abort()
      lists.stop()
      seen.stop()
      feed.stop()
    },
    /** See {@link followNetwork}. */
    reconnect: feed.restart,
    setOffline,
    list,
    refresh,
    group,
    more,
    moreOf,
    toggleGroup,
    /** @param isLeaving whether the page may be left at this moment */
    mark(id: string, read: boolean, isLeaving = false): Promise<boolean> {
      const { markRead, markUnread } = notifications
      const mark: Mark = { type: 'read-state', ids: [id], readAt: read ? now() : null }
      return marks.save(mark, (options) => (read ? markRead : markUnread)(id, options), isLeaving)
    },
    /** Marks a group as read, up to the newest notification shown. */
    markGroup(group: GroupMark): Promise<boolean> {
      const which = allOf(group)
      const mark: Mark = { ...which, type: 'bulk-read-state', readAt: now() }
      return marks.save(mark, (options) => notifications.markManyRead(which, options))
    },
    /** Marks up to the newest item shown; later arrivals stay unread. */
    async markAll(): Promise<boolean> {
      const upTo = newest()
      if (upTo === undefined) return false
      const mark: Mark = { type: 'bulk-read-state', upTo, readAt: now() }
      const done = await marks.save(mark, (options) => notifications.markManyRead({ all: true, upTo }, options))
      if (done) report({ kind: 'all-marked' })
      return done
    },
    /** Archives a notification. It is saved after the time in which it can be undone; resolves to whether it was. */
    archive(id: string): Promise<boolean> {
      const mark: Mark = { type: 'archive-state', ids: [id], archivedAt: now() }
      return marks.hold(mark, (options) => notifications.archive(id, options))
    },
    /** Archives a group up to the newest notification shown, in the same way. */
    archiveGroup(group: GroupMark): Promise<boolean> {
      const which = allOf(group)
      const mark: Mark = { ...which, type: 'bulk-archive-state', archivedAt: now() }
      return marks.hold(mark, (options) => notifications.archiveMany(which, options))
    },
    unarchive(id: string): Promise<boolean> {
      const mark: Mark = { type: 'archive-state', ids: [id], archivedAt: null }
      return marks.save(mark, (options) => notifications.unarchive(id, options))
    },
    /** Takes back the latest archive, unless it was saved already. */
    undo: marks.undo,
    leave: marks.leave,
    /** Marks the newest notification shown, and all below it, as seen. */
    see: () => seen.see(newest()),
  }
}

/**
 * Reports `online` and `offline` of the browser to the feed, before the stream notices them itself, and that the page is hidden
 * or left.
 */
export function followNetwork(feed: Pick<InboxFeed, 'reconnect' | 'setOffline' | 'leave'>, signal: AbortSignal): void {
  window.addEventListener('online', feed.reconnect, { signal })
  window.addEventListener('offline', feed.setOffline, { signal })
  window.addEventListener('pagehide', feed.leave, { signal })
  document.addEventListener('visibilitychange', () => document.hidden && feed.leave(), { signal })
}
