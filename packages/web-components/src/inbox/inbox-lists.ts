import { type Group, keyOf, othersOf, withItems } from './groups.ts'
import { type InboxState, type Listing, withFirstPage, withNextPage } from './inbox-state.ts'
import type { InboxStore } from './inbox-store.ts'
import { type PageSource, readGroup, readPage } from './read-page.ts'

/** Changes that only a new list can explain are collected for this long. */
const REFRESH_MS = 300

export type InboxListsDependencies = {
  readonly source: PageSource
  readonly store: InboxStore
  /** Aborted when the feed is stopped. */
  readonly ended: AbortSignal
  readonly isGrouped: boolean
  readonly onFailed: (error: unknown) => void
}

/** Fetches the list, later pages of it, and what is in a group. */
export function createInboxLists({ source, store, ended, onFailed, ...options }: InboxListsDependencies) {
  let { isGrouped } = options
  let listing = new AbortController()
  // A list fetched while the stream was not live may be incomplete.
  let isStale = false
  let refreshing: ReturnType<typeof setTimeout> | undefined
  const signalOfList = () => AbortSignal.any([ended, listing.signal])

  async function list(status: Listing, isOther = status !== store.state.listing, poll = false): Promise<void> {
    listing.abort()
    listing = new AbortController()
    clearTimeout(refreshing)
    refreshing = undefined
    store.forget()
    const signal = signalOfList()
    isStale = store.state.connection !== 'live'
    if (store.state.phase !== 'ready' || isOther) {
      store.set({ phase: 'loading', listing: status, items: [], groups: undefined, nextCursor: null })
    }
    try {
      // The state of now: events and marks may have changed it during the request.
      await store.fetched(readPage(source, store.state, { isGrouped, signal, poll }), (page) =>
        withFirstPage(store.state, page),
      )
    } catch (error) {
      if (signal.aborted) return
      // Keeps the items shown rather than replacing them by an error; the connection state shows that they may be stale.
      if (store.state.phase === 'ready') isStale = true
      else store.set({ phase: 'failed', error })
      if (!poll) onFailed(error)
    }
  }

  async function refresh(): Promise<void> {
    if (store.state.phase !== 'idle') await list(store.state.listing)
  }

  function withGroup(key: string, change: (group: Group) => Group): InboxState {
    const { state } = store
    return { ...state, groups: state.groups?.map((group) => (keyOf(group) === key ? change(group) : group)) }
  }

  const groupOf = (key: string) => store.state.groups?.find((group) => keyOf(group) === key)

  /** Loads older notifications of a group. */
  async function moreOf(key: string): Promise<void> {
    const group = groupOf(key)
    if (!group) return
    const signal = signalOfList()
    const request = { listing: store.state.listing, cursor: group.items.at(-1)?.id, signal }
    try {
      await store.fetched(readGroup(source, group, request), ({ notifications, nextCursor }) =>
        withGroup(key, (group) => {
          const known = new Set(group.items.map(({ id }) => id))
          const items = [...group.items, ...notifications.filter(({ id }) => !known.has(id))]
          return withItems(group, items, nextCursor === null ? { count: 0, unread: 0 } : othersOf({ ...group, items }))
        }),
      )
    } catch (error) {
      if (!signal.aborted) onFailed(error)
    }
  }

  return {
    list,
    refresh,
    /** Fetches the list again, if it was fetched, and is silent if that fails. */
    async poll(): Promise<void> {
      if (store.state.phase === 'ready') await list(store.state.listing, false, true)
      else if (store.state.phase === 'failed') await list(store.state.listing)
    },
    /** Fetches the list again shortly, once for changes in quick succession. */
    refreshSoon(): void {
      refreshing ??= setTimeout(() => {
        refreshing = undefined
        void refresh()
      }, REFRESH_MS)
    },
    /** The stream is live, at its position or at a new one. */
    onLive(isReset: boolean): void {
      if (isStale || isReset || store.state.phase === 'failed') void refresh()
    },
    stop: () => clearTimeout(refreshing),
    /** Lists one line for each location, or for each notification. */
    async group(grouped: boolean): Promise<void> {
      if (isGrouped === grouped) return
      isGrouped = grouped
      if (store.state.phase !== 'idle') await list(store.state.listing, true)
    },
    async more(): Promise<void> {
      const { nextCursor: cursor, more, phase } = store.state
      if (cursor === null || more === 'loading' || phase !== 'ready') return
      const signal = signalOfList()
      store.set({ more: 'loading' })
      try {
        const page = readPage(source, store.state, { isGrouped, cursor, signal })
        await store.fetched(page, (page) => withNextPage(store.state, page))
      } catch {
        if (!signal.aborted) store.set({ more: 'failed' })
      }
    },
    moreOf,
    /** Opens or closes a group. */
    async toggleGroup(key: string): Promise<void> {
      store.set(withGroup(key, (group) => ({ ...group, isOpen: !group.isOpen })))
      const group = groupOf(key)
      if (group?.isOpen && group.items.length < Math.min(group.count, 20)) await moreOf(key)
    },
  }
}
