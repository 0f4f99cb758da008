/** Default names of the consumed topics and of the dead-letter topic, and the usual name of the topic of announcements. */
export const defaultTopics = {
  mention: 'mention-events',
  change: 'change-events',
  receipt: 'receipt-events',
  privacy: 'privacy-events',
  deadLetter: 'herald-dead-letter',
  notification: 'notification-events',
} as const

/** The CloudEvents types, each including its major version. */
export const eventTypes = {
  mentionCreated: 'herald.mention.created.v1',
  mentionRetracted: 'herald.mention.retracted.v1',
  changeRecorded: 'herald.change.recorded.v1',
  emailSent: 'herald.email.sent.v1',
  notificationRead: 'herald.notification.read.v1',
  personErased: 'herald.person.erased.v1',
} as const

/** The CloudEvents types that Herald sends, each including its major version. */
export const announcedTypes = {
  notificationCreated: 'herald.notification.created.v1',
  notificationUnread: 'herald.notification.unread.v1',
  notificationRetracted: 'herald.notification.retracted.v1',
} as const
