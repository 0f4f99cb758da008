import type { HeraldClient } from '@herald/client'
import {
  createInboxFeed,
  emptyInbox,
  followNetwork,
  type InboxFeed,
  type Listing,
  type News,
  shown,
} from '@herald/inbox/feed'
import { useEffect, useMemo, useRef, useState } from 'react'

export type Inbox = ReturnType<typeof useInbox>

export type InboxOptions = {
  /** Called for arrivals, failures and changes of the connection. */
  readonly onNews?: (news: News) => void
}

/**
 * The inbox of the client’s user, for a list of your own: it follows the stream while the component is mounted, and shows marks
 * before they are confirmed.
 *
 * @param client should stay the same between renders: with another one, the inbox is loaded again
 */
export function useInbox(client: HeraldClient, { onNews }: InboxOptions = {}) {
  const [state, setState] = useState(emptyInbox)
  const feed = useRef<InboxFeed>(undefined)
  const listener = useRef(onNews)
  useEffect(() => {
    listener.current = onNews
  })

  useEffect(() => {
    const { notifications } = client
    const started = createInboxFeed({ notifications, onChange: setState, onNews: (news) => listener.current?.(news) })
    feed.current = started
    const ended = new AbortController()
    followNetwork(started, ended.signal)
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
      /** Lists all notifications or the unread ones, from the newest. */
      list: async (listing: Listing) => feed.current?.list(listing),
      refresh: async () => feed.current?.refresh(),
      /** Loads the next page, if there is one. */
      loadMore: async () => feed.current?.more(),
      /** @returns whether Herald accepted it; otherwise it is undone */
      mark: async (id: string, read: boolean) => (await feed.current?.mark(id, read)) === true,
      /** Marks everything up to the newest notification shown. */
      markAll: async () => (await feed.current?.markAll()) === true,
    }),
    [],
  )
  const { items, unreadCount } = shown(state)
  const { listing, phase, error, more, connection } = state
  return { ...actions, items, unreadCount, listing, phase, error, more, connection, hasMore: state.nextCursor !== null }
}
