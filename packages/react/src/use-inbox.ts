'use client'

import type { HeraldClient } from '@herald/client'
import {
  createInboxFeed,
  emptyInbox,
  followPage,
  type GroupMark,
  type InboxFeed,
  keyOf,
  type Listing,
  type News,
  shown,
} from '@herald/inbox/feed'
import { useEffect, useMemo, useRef, useState } from 'react'

export type Inbox = ReturnType<typeof useInbox>

export type InboxOptions = {
  /** Called for arrivals, failures and changes of the connection. */
  readonly onNews?: (news: News) => void
  /** Lists `groups`, one for each location, in place of `items`. */
  readonly grouped?: boolean
}

/**
 * The inbox of the client’s user, for a list of your own: it follows the stream while the component is mounted, and shows marks
 * before they are confirmed.
 *
 * @param client should stay the same between renders: with another one, the inbox is loaded again
 */
export function useInbox(client: HeraldClient, { onNews, grouped = false }: InboxOptions = {}) {
  const [state, setState] = useState(emptyInbox)
  const feed = useRef<InboxFeed>(undefined)
  const latest = useRef({ onNews, grouped })
  useEffect(() => {
    latest.current = { onNews, grouped }
    void feed.current?.group(grouped)
  })

  useEffect(() => {
    const { notifications, session } = client
    const onNews = (news: News) => latest.current.onNews?.(news)
    const started = createInboxFeed({
      notifications,
      session,
      grouped: latest.current.grouped,
      isShown: () => !document.hidden,
      onChange: setState,
      onNews,
    })
    feed.current = started
    const ended = new AbortController()
    followPage(started, ended.signal)
    started.start()
    void started.list('all')
    return () => {
      ended.abort()
      started.stop()
      feed.current = undefined
      setState(emptyInbox)
    }
  }, [client])

  const actions = useMemo(
    () => ({
      /** Lists all notifications, the unread or the archived ones, from the newest. */
      list: async (listing: Listing) => feed.current?.list(listing),
      refresh: async () => feed.current?.refresh(),
      /** Loads the next page, if there is one. */
      loadMore: async () => feed.current?.more(),
      /** @returns whether Herald accepted it; otherwise it is undone */
      mark: async (id: string, read: boolean) => (await feed.current?.mark(id, read)) === true,
      /** Marks everything up to the newest notification shown. */
      markAll: async () => (await feed.current?.markAll()) === true,
      /** Marks all of a group up to the newest one shown. */
      markGroup: async (group: GroupMark) => (await feed.current?.markGroup(group)) === true,
      /**
       * Archives at once for the reader, and after 5 seconds in Herald, unless `undo` was called.
       * @returns whether it was saved
       */
      archive: async (id: string) => (await feed.current?.archive(id)) === true,
      /** Archives all of a group up to the newest one shown, in the same way. */
      archiveGroup: async (group: GroupMark) => (await feed.current?.archiveGroup(group)) === true,
      /** Takes a notification out of the archive. */
      unarchive: async (id: string) => (await feed.current?.unarchive(id)) === true,
      /** Takes back the latest archive, while `canUndo`. */
      undo: () => feed.current?.undo(),
      /** Opens or closes a group; its notifications are its `items`. */
      toggleGroup: async (group: GroupMark) => feed.current?.toggleGroup(keyOf(group)),
      /** Loads older notifications of a group. */
      loadMoreOf: async (group: GroupMark) => feed.current?.moreOf(keyOf(group)),
      /** Marks the newest notification shown, and all below it, as seen. */
      markSeen: async () => feed.current?.see(),
    }),
    [],
  )
  const { items, groups, unreadCount, unseenCount } = shown(state)
  const { listing, phase, error, more, connection, seenUpTo } = state
  const [hasMore, canUndo] = [state.nextCursor !== null, state.undoable !== undefined]
  const list = { items, groups, listing, phase, error, more, hasMore }
  return { ...actions, ...list, unreadCount, unseenCount, seenUpTo, canUndo, connection }
}
