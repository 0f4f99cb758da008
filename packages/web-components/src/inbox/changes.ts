import type { FeedEvent, Notification } from '@herald/client'

type MarkType = `${'' | 'bulk-'}${'read-state' | 'archive-state' | 'retracted'}`

/**
 * A mark of some notifications by id, or in bulk of all that the rest selects: read or unread, archived or not, or else
 * retracted. Events have this form, and marks that are not confirmed yet.
 */
export type Mark = {
  readonly type: MarkType
  readonly ids?: readonly string[]
  readonly upTo?: string | null
  readonly locationType?: string | undefined
  readonly locationId?: string | undefined
  readonly status?: 'read' | undefined
  readonly readAt?: string | null
  readonly archivedAt?: string | null
}

/** A change of the feed. */
export type Change = Mark | Pick<Extract<FeedEvent, { readonly type: 'notification' }>, 'type' | 'notification'>

/** Whether a bulk mark concerns notifications of this location. */
export const isAt = (mark: Mark, { locationType, locationId }: Pick<Mark, 'locationType' | 'locationId'>) =>
  (mark.locationType ?? locationType) === locationType && (mark.locationId ?? locationId) === locationId

/** Whether it brings something back into the list. */
export const isRestoring = ({ readAt, archivedAt }: Mark) => readAt === null || archivedAt === null

function concerns(mark: Mark, item: Notification): boolean {
  if (mark.ids) return mark.ids.includes(item.id)
  const isBelow = mark.upTo == null || item.id <= mark.upTo
  return isBelow && isAt(mark, item) && !(mark.status === 'read' && item.readAt === null)
}

/** The notification after a mark; `undefined` if it was retracted. */
export function marked(item: Notification, mark: Mark): Notification | undefined {
  if (!concerns(mark, item)) return item
  const { archivedAt, mutedAt: _, ...rest } = item
  if (mark.readAt === null) return { ...rest, readAt: null }
  if (mark.readAt !== undefined) return { ...item, readAt: item.readAt ?? mark.readAt }
  if (mark.archivedAt === undefined) return undefined
  if (mark.archivedAt === null) return { ...item, archivedAt: undefined }
  return { ...item, archivedAt: archivedAt ?? mark.archivedAt, readAt: item.readAt ?? mark.archivedAt }
}

/** Inserts a notification unless it is known. Ids are ordered by time, so a late one is inserted at its position. */
export function inserted(items: readonly Notification[], arrived: Notification, hasMore: boolean) {
  const at = items.findIndex(({ id }) => id <= arrived.id)
  if (items[at]?.id === arrived.id) return items
  // Older than the last loaded one: a later page contains it.
  if (at < 0 && hasMore) return items
  return items.toSpliced(at < 0 ? items.length : at, 0, arrived)
}

export const unreadIn = (items: readonly Notification[]) => items.filter(({ readAt }) => readAt === null).length
