import type { TokenUser } from '@herald/client'
import { createFollower } from '../following/follower.ts'
import type { Input } from '../following/following.ts'
import { createUserInbox, type InboxFeedDependencies, type UserInbox } from './user-inbox.ts'

export type InboxFeed = ReturnType<typeof createInboxFeed>

/** The state of the inbox of whoever is signed in: updated by the stream or by polling, with marks shown before they are confirmed. */
export function createInboxFeed(dependencies: InboxFeedDependencies) {
  const { notifications, session, onNews, isShown = () => true } = dependencies
  let isGrouped = dependencies.grouped ?? false
  let current = createUserInbox(dependencies, isGrouped)
  let isRefusalKnown = false

  const follower = createFollower({
    source: { stream: notifications.stream, counts: (options) => current.counted(notifications.counts(options)) },
    session,
    onEvent: (event) => current.onEvent(event),
    onPhase(phase) {
      if (phase === 'live' || phase === 'polling') isRefusalKnown = false
      current.onPhase(phase)
    },
    differs: (counts) => current.differs(counts),
    onCounts: (counts, phase) => current.onCounts(counts, phase),
    onRefused(error) {
      if (isRefusalKnown || follower.phase !== 'refused') return
      isRefusalKnown = true
      onNews({ kind: 'stream-refused', error })
    },
    onOtherUser,
  })

  function onOtherUser(user: TokenUser): void {
    const wasListed = current.state.phase !== 'idle'
    current.drop()
    current = createUserInbox(dependencies, isGrouped)
    current.onPhase(follower.phase)
    if (user !== null && (wasListed || hasToList) && isShown()) void current.list('all')
    hasToList = user === null && wasListed
  }
  /** The list was shown when the user signed out. */
  let hasToList = false

  /** Calls the inbox of the user of that moment. */
  const ofCurrent =
    <Name extends 'list' | Actions>(name: Name) =>
    (...call: Parameters<UserInbox[Name]>) =>
      (current[name] as (...call: Parameters<UserInbox[Name]>) => ReturnType<UserInbox[Name]>)(...call)

  return {
    get state() {
      return current.state
    },
    start: follower.start,
    stop(): void {
      follower.stop()
      current.stop()
    },
    /** Says what has happened to the page; see {@link followPage}. */
    notice: (type: PageEvent) => follower.dispatch({ type }),
    group(grouped: boolean): Promise<void> {
      isGrouped = grouped
      return current.group(grouped)
    },
    list: ofCurrent('list'),
    refresh: ofCurrent('refresh'),
    more: ofCurrent('more'),
    moreOf: ofCurrent('moreOf'),
    toggleGroup: ofCurrent('toggleGroup'),
    mark: ofCurrent('mark'),
    markGroup: ofCurrent('markGroup'),
    markAll: ofCurrent('markAll'),
    archive: ofCurrent('archive'),
    archiveGroup: ofCurrent('archiveGroup'),
    unarchive: ofCurrent('unarchive'),
    undo: ofCurrent('undo'),
    leave: ofCurrent('leave'),
    see: ofCurrent('see'),
  }
}

type Actions =
  | 'refresh'
  | 'more'
  | 'moreOf'
  | 'toggleGroup'
  | 'mark'
  | 'markGroup'
  | 'markAll'
  | 'archive'
  | 'archiveGroup'
  | 'unarchive'
  | 'undo'
  | 'leave'
  | 'see'

/** An event of a page: the list is opened, it wakes, or its network changes. */
export type PageEvent = Extract<Input['type'], 'opened' | 'woke' | 'online' | 'restored' | 'offline' | 'left' | 'token'>

/** Tells the feed what the stream would notice late: the network, sleep, the back/forward cache, and that the page is left. */
export function followPage(feed: Pick<InboxFeed, 'notice' | 'leave'>, signal: AbortSignal): void {
  const on = (target: EventTarget, type: string, listener: (event: Event) => void) =>
    target.addEventListener(type, listener, { signal })
  on(window, 'online', () => feed.notice('online'))
  on(window, 'offline', () => feed.notice('offline'))
  on(window, 'pagehide', () => {
    feed.leave()
    feed.notice('left')
  })
  on(window, 'pageshow', (event) => (event as PageTransitionEvent).persisted && feed.notice('restored'))
  on(document, 'resume', () => feed.notice('woke'))
  on(document, 'visibilitychange', () => (document.hidden ? feed.leave() : feed.notice('woke')))
}
