import type { CallOptions, NotificationGroup, Notifications } from '@herald/client'
import { unreadIn } from './changes.ts'
import { type Group, keyOf, toGroup } from './groups.ts'
import type { InboxState, Listing, Page } from './inbox-state.ts'

export type PageSource = Pick<Notifications, 'list' | 'groups'>

/** Notifications on the first page, which fills the panel, and on those that scrolling loads. */
const [firstPage, nextPages] = [20, 50]

const queryOf = (listing: Listing) =>
  listing === 'archived' ? ({ archived: 'true' } as const) : ({ status: listing } as const)

/** As many as are shown, so that a list that is fetched again does not shrink. */
const asMany = (shown: number, most: number) => Math.min(most, Math.max(firstPage, shown))

type Options = CallOptions & { readonly isGrouped: boolean; readonly cursor?: string }

/** Fetches a page of a listing. Archived notifications are never grouped. */
export async function readPage(
  source: PageSource,
  state: InboxState,
  { isGrouped, cursor, signal, poll }: Options,
): Promise<Page> {
  const { listing } = state
  if (!isGrouped || listing === 'archived') {
    const limit = cursor === undefined ? asMany(state.items.length, 100) : nextPages
    const { notifications: items, nextCursor } = await source.list(
      { ...queryOf(listing), limit, cursor },
      { signal, poll },
    )
    return { items, nextCursor }
  }
  const limit = asMany(cursor === undefined ? (state.groups?.length ?? 0) : nextPages, nextPages)
  const { groups, nextCursor } = await source.groups({ status: listing, limit, cursor }, { signal, poll })
  const opened = new Map(state.groups?.filter(({ isOpen }) => isOpen).map((group) => [keyOf(group), group]))
  const read = (group: NotificationGroup) => {
    const before = opened.get(keyOf(group))
    return before ? reopened(source, group, before, state.listing, signal) : toGroup(group)
  }
  return { items: [], groups: await Promise.all(groups.map(read)), nextCursor }
}

async function reopened(
  source: PageSource,
  group: NotificationGroup,
  before: Group,
  listing: Listing,
  signal?: AbortSignal,
) {
  const { notifications } = await readGroup(source, group, { listing, limit: asMany(before.items.length, 100), signal })
  const newer = notifications.filter(({ id }) => id > group.latest.id)
  return {
    ...toGroup(group),
    isOpen: true,
    items: notifications.length > 0 ? notifications : [group.latest],
    count: Math.max(notifications.length, group.count + newer.length),
    unreadCount: group.unreadCount + unreadIn(newer),
  }
}

type GroupOptions = CallOptions & {
  readonly listing: Listing
  readonly limit?: number
  readonly cursor?: string | undefined
}

/** Fetches notifications of one group. */
export const readGroup = (
  source: PageSource,
  { locationType, locationId }: Pick<Group, 'locationType' | 'locationId'>,
  { listing, limit = nextPages, cursor, signal }: GroupOptions,
) => source.list({ ...queryOf(listing), locationType, locationId, limit, cursor }, { signal })
