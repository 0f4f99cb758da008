import type { Notification } from '@herald/client'

/** Every text of `<herald-inbox>`, in English. Any of them can be replaced through its property `texts`. */
export type InboxTexts = typeof inboxTexts

const place: Record<string, string> = {
  comment: 'in a comment',
  value: 'on a value',
  'file comment': 'in a comment on a file',
  file: 'in a file',
  entity: '',
}

export const inboxTexts = {
  title: 'Notifications',
  bell: (unread: number | undefined) => (unread ? `Notifications, ${unread} unread` : 'Notifications'),
  badge: (unread: number) => (unread > 99 ? '99+' : String(unread)),
  close: 'Close',
  filter: 'Show',
  all: 'All',
  unread: 'Unread',
  archived: 'Archived',
  markAll: 'Mark all as read',
  allMarked: 'All notifications are marked as read',
  markRead: 'Mark as read',
  markUnread: 'Mark as unread',
  isUnread: 'Unread',
  isNew: 'New',
  archive: 'Archive',
  unarchive: 'Move to inbox',
  undo: 'Undo',
  more: 'More actions',
  /** The action, after the actor's name, or those of several. */
  did: ({ locationType }: Notification, _isBySeveral?: boolean) => `mentioned you ${place[locationType] ?? ''}`.trim(),
  /** The action with the name that `nameOf` returns. */
  didIn: (name: string, _isBySeveral?: boolean) => `mentioned you in ${name}`,
  /** After the name of the newest of several actors, before the action. */
  andOthers: (second: string, others: number) => (others > 1 ? `and ${others} others` : `and ${second}`),
  count: (count: number) => `${count} notifications`,
  /** The place of the mention, next to the time. */
  where: ({ metadata }: Notification) => metadata.mention.entityType ?? '',
  arrived: (name: string) => `New notification from ${name}`,
  newAbove: (count: number) => (count === 1 ? '1 new notification' : `${count} new notifications`),
  loading: 'Loading notifications',
  loadMore: 'Load more',
  loadingMore: 'Loading more',
  moreFailed: 'Older notifications could not be loaded.',
  noMore: 'That’s everything',
  emptyTitle: 'Nothing here yet',
  emptyText: 'When someone mentions you, you’ll see it here.',
  emptyArchivedTitle: 'Nothing is archived',
  emptyUnreadTitle: 'You’re all caught up',
  failedTitle: 'Notifications could not be loaded',
  failedText: 'The service can’t be reached at the moment.',
  refusedText: 'You may have been signed out. Sign in again, then retry.',
  retry: 'Try again',
  offline: 'No connection. New notifications will appear when it is back.',
  online: 'The connection is back',
  notLive: 'New notifications won’t appear automatically at the moment.',
  polling: 'Live updates aren’t available here. New notifications appear within a minute.',
  markFailed: 'Your change could not be saved and was undone.',
  dismiss: 'Dismiss',
  mutes: 'Muted',
  /** The label of the times for which a person or a place can be muted. */
  mute: (name: string) => `Mute ${name}`,
  /** A place without a name. */
  place: ({ locationType }: Notification) => `this ${locationType}`,
  hour: '1 hour',
  day: '1 day',
  week: '1 week',
  forGood: 'For good',
  muted: (name: string) => `${name} is muted`,
  unmute: 'Unmute',
  until: (time: string) => `until ${time}`,
  emptyMutesTitle: 'Nothing is muted',
  tooManyMutes: 'No more can be muted. Unmute something first.',
  keys: 'Keyboard shortcuts',
  keyNext: 'next notification',
  keyPrevious: 'previous notification',
  keyOpen: 'open',
  keyUnread: 'mark as read or unread',
}
