/** Default names of the consumed topics and of the dead-letter topic. */
export const defaultTopics = {
  mention: 'mention-events',
  change: 'change-events',
  receipt: 'receipt-events',
  deadLetter: 'herald-dead-letter',
} as const

/** The CloudEvents types, each including its major version. */
export const eventTypes = {
  mentionCreated: 'herald.mention.created.v1',
  mentionRetracted: 'herald.mention.retracted.v1',
  changeRecorded: 'herald.change.recorded.v1',
  emailSent: 'herald.email.sent.v1',
  notificationRead: 'herald.notification.read.v1',
} as const
