import type { Notification, NotificationGroup } from '@herald/client'
import { type Change, inserted, isAt, isRestoring, type Mark, marked, unreadIn } from './changes.ts'

/** The notifications of one location. `items` are the newest of them without gaps; older ones are loaded when it is opened. */
export type Group = Omit<NotificationGroup, 'latest'> & {
  readonly items: readonly Notification[]
  readonly isOpen: boolean
}

type Place = Pick<Notification, 'locationType' | 'locationId'>

export const toGroup = ({ latest, ...group }: NotificationGroup): Group => ({
  ...group,
  items: [latest],
  isOpen: false,
})

/** Identifies a group while its notifications change. */
export const keyOf = ({ locationType, locationId }: Place) => `${locationType.replace(' ', '-')}-${locationId}`

const newestFirst = (groups: readonly Group[]) =>
  groups.toSorted((one, other) => (String(one.items[0]?.id) < String(other.items[0]?.id) ? 1 : -1))

/** Exact if all are loaded; otherwise an unknown actor is assumed to be one of the others. */
function actorsOf({ items, count, actors, otherActors }: Group): Pick<Group, 'actors' | 'otherActors'> {
  const loaded = items.map(({ actor }) => actor)
  const isWhole = items.length === count
  const known = new Set<string>()
  const distinct = [...loaded, ...(isWhole ? [] : actors)].filter(({ id }) => !known.has(id) && known.add(id))
  const others = (!isWhole && otherActors) || Math.max(0, distinct.length - 3)
  return { actors: distinct.slice(0, 3), otherActors: others }
}

/** Replaces the loaded notifications, and updates the counts. */
export function withItems(group: Group, items: readonly Notification[], others?: { count: number; unread: number }) {
  const before = others ?? othersOf(group)
  const count = items.length + before.count
  const changed = { ...group, items, count, unreadCount: unreadIn(items) + before.unread }
  return { ...changed, ...actorsOf(changed) }
}

/** Counts of the notifications that are not loaded. */
export const othersOf = ({ items, count, unreadCount }: Group) => ({
  count: Math.max(0, count - items.length),
  unread: Math.max(0, unreadCount - unreadIn(items)),
})

function markedGroup(group: Group, mark: Mark, isKept: (item: Notification) => boolean): Group[] {
  const items = group.items.flatMap((item) => marked(item, mark) ?? []).filter(isKept)
  const others = othersOf(group)
  if (!mark.ids && !isRestoring(mark) && isAt(mark, group) && !isPartOf(group, mark)) {
    const leavesUnread = mark.status === 'read'
    if (mark.readAt === undefined) others.count = leavesUnread ? others.unread : 0
    if (!leavesUnread) others.unread = 0
  }
  if (items.length + others.count === 0) return []
  // The newest notification that remains is not loaded; the list is fetched again.
  return [items.length === 0 ? group : withItems(group, items, others)]
}

/** Whether a place in the list is among the notifications that are not loaded. */
const isPartOf = ({ items, count }: Group, { upTo }: Pick<Mark, 'upTo'>) =>
  upTo != null && count > items.length && upTo < String(items.at(-1)?.id)

export const markedGroups = (groups: readonly Group[], mark: Mark, isKept: (item: Notification) => boolean) =>
  newestFirst(groups.flatMap((group) => markedGroup(group, mark, isKept)))

/** Adds an arrival to its group, or as a new one. */
export function withArrivalIn(groups: readonly Group[], arrived: Notification): readonly Group[] {
  const { locationType, locationId } = arrived
  const key = keyOf(arrived)
  const known = groups.find((group) => keyOf(group) === key)
  const empty = {
    locationType,
    locationId,
    count: 0,
    unreadCount: 0,
    actors: [],
    otherActors: 0,
    items: [],
    isOpen: false,
  }
  const group: Group = known ?? empty
  const items = inserted(group.items, arrived, group.count > group.items.length)
  if (items === group.items) return groups
  return newestFirst([...groups.filter((other) => other !== known), withItems(group, items)])
}

/** Adds the groups of a later page, which count what arrived in them until it was read. Later arrivals are in `groups` only. */
export function withMoreGroups(groups: readonly Group[], added: readonly Group[]): readonly Group[] {
  const older = new Map(added.map((group) => [keyOf(group), group]))
  const merged = groups.map((group) => {
    const rest = older.get(keyOf(group))
    older.delete(keyOf(group))
    if (!rest) return group
    const actors = { actors: [...group.actors, ...rest.actors], otherActors: rest.otherActors }
    const later = group.items.filter(({ id }) => id > String(rest.items[0]?.id))
    return withItems({ ...group, ...actors }, [...later, ...rest.items], othersOf(rest))
  })
  return [...merged, ...older.values()]
}

/** Whether a change cannot be applied exactly, because it concerns notifications that are not loaded. */
export function isUnclear(groups: readonly Group[], change: Change, isGone: (id: string) => boolean): boolean {
  if ('notification' in change) {
    const group = groups.find((group) => keyOf(group) === keyOf(change.notification))
    return group !== undefined && isPartOf(group, { upTo: change.notification.id })
  }
  if (!change.ids) return isRestoring(change) || groups.some((group) => isAt(change, group) && isPartOf(group, change))
  const known = new Set(groups.flatMap(({ items }) => items.map(({ id }) => id)))
  return change.ids.some((id) => !known.has(id) && (isRestoring(change) || !isGone(id)))
}
