import type { Notification } from '@herald/client'
import { type Change, inserted, isRestoring, type Mark, marked, unreadIn } from './changes.ts'
import { type Group, keyOf, markedGroups, withArrivalIn, withMoreGroups } from './groups.ts'

/** A mark that is shown but not confirmed yet. */
export type PendingMark = { readonly mark: Mark }

export type Listing = 'all' | 'unread' | 'archived'

export type InboxState = {
  readonly listing: Listing
  readonly phase: 'idle' | 'loading' | 'ready' | 'failed'
  /** The reason why the list could not be fetched. */
  readonly error?: unknown
  readonly more: 'idle' | 'loading' | 'failed'
  /** As received from Herald, newest first; pending marks are applied on top. */
  readonly items: readonly Notification[]
  /** In place of `items`, if notifications are grouped by location. */
  readonly groups?: readonly Group[] | undefined
  readonly nextCursor: string | null
  readonly unreadCount: number | undefined
  readonly unseenCount: number | undefined
  /** The newest notification that was seen; `null` before the first one, `undefined` until it is known. */
  readonly seenUpTo: string | null | undefined
  readonly pending: readonly PendingMark[]
  /** The one among them that can still be undone. */
  readonly undoable: PendingMark | undefined
  /** How it is known what is new; `polling`: at least once a minute. */
  readonly connection: 'connecting' | 'live' | 'polling' | 'offline' | 'refused' | 'signed-out'
}

export const emptyInbox: InboxState = {
  listing: 'all',
  phase: 'idle',
  more: 'idle',
  items: [],
  nextCursor: null,
  unreadCount: undefined,
  unseenCount: undefined,
  seenUpTo: undefined,
  pending: [],
  undoable: undefined,
  connection: 'connecting',
}

export type Page = {
  readonly items: readonly Notification[]
  readonly groups?: readonly Group[] | undefined
  readonly nextCursor: string | null
}

export const withFirstPage = (state: InboxState, page: Page): InboxState => ({
  ...state,
  phase: 'ready',
  more: 'idle',
  groups: undefined,
  ...page,
})

export function withNextPage(state: InboxState, { items, groups = [], nextCursor }: Page): InboxState {
  const known = new Set(state.items.map(({ id }) => id))
  return {
    ...state,
    more: 'idle',
    items: [...state.items, ...items.filter(({ id }) => !known.has(id))],
    groups: state.groups && withMoreGroups(state.groups, groups),
    nextCursor,
  }
}

/** Applies what arrived, or was marked here or elsewhere. Counts are estimates until the stream sends the exact ones. */
export function withChange(state: InboxState, change: Change): InboxState {
  return 'notification' in change ? withArrival(state, change.notification) : withMark(state, change)
}

function withArrival(state: InboxState, arrived: Notification): InboxState {
  const { items, groups, nextCursor, listing, phase } = state
  const isUnread = arrived.readAt === null
  if (isKnown(state, arrived.id)) return state
  const counted = { ...state, ...changedCount(state, isUnread ? 1 : 0) }
  if (phase !== 'ready' || listing === 'archived' || (listing === 'unread' && !isUnread)) return counted
  return groups
    ? { ...counted, groups: withArrivalIn(groups, arrived) }
    : { ...counted, items: inserted(items, arrived, nextCursor !== null) }
}

function withMark(state: InboxState, mark: Mark): InboxState {
  const isKept = ({ archivedAt }: Notification) => (archivedAt !== undefined) === (state.listing === 'archived')
  const items = state.items.flatMap((item) => marked(item, mark) ?? []).filter(isKept)
  const groups = state.groups && markedGroups(state.groups, mark, isKept)
  const after = { ...state, items, groups }
  const unread = unreadOf(after)
  // After a mark of all, only newer ones are still unread, and these are loaded.
  const isOfAll = !mark.ids && !mark.locationId && !mark.locationType && !mark.status
  const exact = isOfAll && state.listing !== 'archived' ? unread : undefined
  return { ...after, ...changedCount(state, unread - unreadOf(state), exact) }
}

const unreadOf = ({ items, groups }: InboxState) =>
  groups ? groups.reduce((sum, { unreadCount }) => sum + unreadCount, 0) : unreadIn(items)

const changedCount = ({ unreadCount }: InboxState, by: number, to?: number) => ({
  unreadCount: unreadCount === undefined ? undefined : (to ?? Math.max(0, unreadCount + by)),
})

export const isKnown = ({ items, groups }: InboxState, id: string) =>
  groups ? groups.some((group) => group.items.some((item) => item.id === id)) : items.some((item) => item.id === id)

/** Whether the list has to be fetched again: a notification returns to it, or a bulk mark does not name its notifications. */
export function isMissing(state: InboxState, change: Change): boolean {
  if ('notification' in change) return false
  const { ids, archivedAt } = change
  if (!ids) return true
  const oldest = state.nextCursor === null ? '' : String(state.items.at(-1)?.id)
  const brings = state.listing === 'archived' ? typeof archivedAt === 'string' : isRestoring(change)
  return brings && ids.some((id) => id > oldest && !isKnown(state, id))
}

/** A line of the list: a notification, or a group of several. */
export type Row = {
  /** Identifies the line while its notifications change. */
  readonly key: string
  readonly notification: Notification
  readonly isRead: boolean
  readonly group?: Group
  /** Whether it is one of an opened group. */
  readonly isInGroup?: boolean
}

const shownOf = new WeakMap<InboxState, ReturnType<typeof apply>>()

/** The list and the counts to display, with pending marks applied. */
export function shown(state: InboxState) {
  const known = shownOf.get(state) ?? apply(state)
  shownOf.set(state, known)
  return known
}

function apply(state: InboxState) {
  const { items, groups, unreadCount, unseenCount } = state.pending.reduce(
    (shown, { mark }) => withMark(shown, mark),
    state,
  )
  const one = (notification: Notification) => ({
    key: notification.id,
    notification,
    isRead: notification.readAt !== null,
  })
  const rows: Row[] = groups ? groups.flatMap(rowsOf) : items.map(one)
  return { unreadCount, unseenCount, items: items.map(one), groups, rows }

  function rowsOf(group: Group): Row[] {
    const [latest] = group.items as [Notification]
    if (group.count === 1) return [{ ...one(latest), key: keyOf(group) }]
    const line = { key: keyOf(group), notification: latest, isRead: group.unreadCount === 0, group }
    const opened = group.isOpen ? group.items.map((item) => ({ ...one(item), isInGroup: true })) : []
    return [line, ...opened]
  }
}

export const nameOfActor = ({ actor, metadata }: Notification) => actor.name || metadata.mention.mentionerName
