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
  markAll: 'Mark all as read',
  allMarked: 'All notifications are marked as read',
  markRead: 'Mark as read',
  markUnread: 'Mark as unread',
  isUnread: 'Unread',
  /** The action, after the actor's name. */
  did: ({ locationType }: Notification) => `mentioned you ${place[locationType] ?? ''}`.trim(),
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
  emptyUnreadTitle: 'You’re all caught up',
  emptyUnreadText: 'There are no unread notifications.',
  failedTitle: 'Notifications could not be loaded',
  failedText: 'The service can’t be reached at the moment.',
  refusedText: 'You may have been signed out. Sign in again, then retry.',
  retry: 'Try again',
  offline: 'No connection. New notifications will appear when it is back.',
  online: 'The connection is back',
  notLive: 'New notifications won’t appear automatically at the moment.',
  markFailed: 'Your change could not be saved and was undone.',
  dismiss: 'Dismiss',
  keys: 'Keyboard shortcuts',
  keyNext: 'next notification',
  keyPrevious: 'previous notification',
  keyOpen: 'open',
  keyUnread: 'mark as read or unread',
  keyHelp: 'show these shortcuts',
  keyClose: 'close',
}
