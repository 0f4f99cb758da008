import type { FeedEvent, HeraldClient, Notification, Notifications } from '@herald/client'
import type { Phase } from '../following/following.ts'
import type { Mark } from './changes.ts'
import type { Group } from './groups.ts'
import { createInboxLists } from './inbox-lists.ts'
import { createInboxMarks } from './inbox-marks.ts'
import { createInboxSeen } from './inbox-seen.ts'
import { emptyInbox, type InboxState, isKnown } from './inbox-state.ts'
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
  /** The user that the tokens are for: with another one, everything is dropped and begun anew. */
  readonly session?: HeraldClient['session'] | undefined
  readonly onChange: (state: InboxState) => void
  readonly onNews: (news: News) => void
  readonly clock?: () => Date
  /** Milliseconds in which an archive can be undone, before it is saved. */
  readonly undoMs?: number
  readonly grouped?: boolean
  /** Whether the list is looked at; one that is not is fetched again when it is opened, and not before. */
  readonly isShown?: () => boolean
}

/** The notifications of one location, up to the newest one shown. */
export type GroupMark = Pick<Group, 'locationType' | 'locationId' | 'items'>

export type UserInbox = ReturnType<typeof createUserInbox>

const connectionOf = {
  'catching-up': 'connecting',
  live: 'live',
  polling: 'polling',
  refused: 'refused',
  away: 'offline',
  'signed-out': 'signed-out',
} as const satisfies Record<Phase, InboxState['connection']>

type Counts = Awaited<ReturnType<InboxFeedDependencies['notifications']['counts']>>

/** The inbox of one user, until another one is signed in: its list, its counts, and its marks, which are never sent for another. */
export function createUserInbox(dependencies: InboxFeedDependencies, isGrouped: boolean) {
  const { notifications, onNews, clock = () => new Date(), undoMs = 5_000, isShown = () => true } = dependencies
  const ended = new AbortController()
  const dropped = new AbortController()
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
    isGrouped,
    onFailed: (error) => report({ kind: 'list-failed', error }),
  })
  const marks = createInboxMarks({
    store,
    undoMs,
    dropped: dropped.signal,
    onFailed: (mark, error) => report({ kind: 'mark-failed', mark, error }),
  })
  const seen = createInboxSeen((options) => notifications.markSeen({ ...options, signal }), store)
  let lastCounts: Counts | undefined
  let polls = 0
  let isOutdated = false
  let wasOffline = false

  function onEvent(event: FeedEvent): void {
    const { type } = event
    if (type === 'unread-count') store.count({ unreadCount: event.unreadCount, unseenCount: event.unseenCount })
    else if (type === 'seen') store.set({ seenUpTo: event.seenUpTo })
    else if (type === 'heartbeat') lists.onLive(false)
    else if (type === 'reset') lists.onLive(true)
    else if (type === 'notification') onArrival(event.notification)
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

  function onPhase(phase: Phase): void {
    const before = store.state.connection
    const connection = connectionOf[phase]
    if (before === connection) return
    store.set({ connection })
    if (before === 'live' && connection === 'offline') report({ kind: 'offline' })
    if (wasOffline && (connection === 'live' || connection === 'polling')) report({ kind: 'online' })
    wasOffline = connection === 'offline' || (wasOffline && connection !== 'live' && connection !== 'polling')
  }

  function differs({ unreadCount, unseenCount }: Counts): boolean {
    const { state } = store
    return state.unreadCount !== unreadCount || state.unseenCount !== unseenCount
  }

  function onCounts(counts: Counts, phase: Phase): void {
    isOutdated ||= differs(counts)
    // It never goes back, so a later one may be known already.
    const seenUpTo = newest(store.state.seenUpTo, counts.seenUpTo)
    store.set({ unreadCount: counts.unreadCount, unseenCount: counts.unseenCount, seenUpTo })
    // A live stream tells what it is, and one that is opened again will.
    if (phase !== 'polling') return
    // A change that moves no number is found by every other poll.
    polls++
    isOutdated ||= counts !== lastCounts || polls % 2 === 0
    lastCounts = counts
    if (isOutdated && isShown()) {
      isOutdated = false
      void lists.poll()
    }
  }

  const now = () => `${clock().toISOString().slice(0, 19)}Z`
  const newestShown = () => (store.state.groups?.[0] ?? store.state).items[0]?.id
  /** Selects a group up to the newest notification shown, so that later arrivals are left alone. */
  const allOf = ({ locationType, locationId, items }: GroupMark) =>
    ({ all: true, upTo: String(items[0]?.id), locationType, locationId }) as const

  const { refresh, group, more, moreOf, toggleGroup } = lists
  return {
    get state() {
      return store.state
    },
    onEvent,
    onPhase,
    differs,
    onCounts,
    counted: store.counted,
    stop(): void {
      marks.leave()
      ended.abort()
      lists.stop()
      seen.stop()
    },
    /** Ends it without sending anything more, and shows nothing of it. */
    drop(): void {
      dropped.abort()
      const { connection } = store.state
      store.set({ ...emptyInbox, groups: undefined, connection })
      this.stop()
    },
    list: (listing: InboxState['listing']) => lists.list(listing),
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
      const upTo = newestShown()
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
    see: () => seen.see(newestShown()),
  }
}

function newest(known: string | null | undefined, read: string | null): string | null {
  return known && (read === null || known > read) ? known : read
}
