import type { ChangeEntry, Notification } from '@herald/client'

/**
 * The effect of an erasure on a field of a notification of which the person is actor and subject, or of a change
 * entry of which the person is the user.
 */
export type Fate = 'kept' | 'emptied' | 'pseudonym' | 'time of the erasure'

/** The paths of all fields in a type. Objects with any keys and arrays are one field. */
type FieldOf<T> = {
  [K in keyof T & string]-?: [NonNullable<T[K]>] extends [readonly unknown[]]
    ? K
    : [NonNullable<T[K]>] extends [object]
      ? string extends keyof NonNullable<T[K]>
        ? K
        : `${K}.${FieldOf<NonNullable<T[K]>>}`
      : K
}[keyof T & string]

/** Each field of a notification. The compiler compares the names with the client's types, a test with the schemas. */
export const notificationFields = {
  id: 'kept',
  subscriberId: 'kept',
  type: 'kept',
  actorId: 'pseudonym',
  actorType: 'kept',
  subjectId: 'pseudonym',
  subjectType: 'kept',
  locationId: 'kept',
  locationType: 'kept',
  'metadata.mention.mentionerName': 'emptied',
  'metadata.mention.snippet': 'emptied',
  'metadata.mention.entityType': 'kept',
  'metadata.mention.anchorId': 'kept',
  'metadata.add': 'kept',
  'metadata.edit': 'kept',
  createdAt: 'kept',
  updatedAt: 'time of the erasure',
  'actor.id': 'pseudonym',
  'actor.name': 'emptied',
  'actor.image': 'emptied',
  readAt: 'kept',
  emailSentAt: 'kept',
  archivedAt: 'kept',
  mutedAt: 'kept',
} as const satisfies Readonly<Record<FieldOf<Notification>, Fate>>

/** Each field of a change entry. */
export const changeEntryFields = {
  id: 'kept',
  'user.id': 'pseudonym',
  'user.name': 'emptied',
  'user.email': 'emptied',
  entityType: 'kept',
  entityId: 'kept',
  entityTitle: 'kept',
  actionType: 'kept',
  changedField: 'kept',
  createdAt: 'kept',
  beforeState: 'kept',
  afterState: 'kept',
} as const satisfies Readonly<Record<FieldOf<ChangeEntry>, Fate>>

const notification = Object.keys(notificationFields)
const receipts = ['readAt', 'emailSentAt']
const announced = notification.filter((field) => ![...receipts, 'archivedAt', 'mutedAt'].includes(field))
const parts = ['recipientIds', 'part', 'parts']

/** The fields of each schema of the documents: what they become, or what they select. */
export const fieldsBySchema: Readonly<Record<string, readonly string[]>> = {
  Notification: notification,
  CreatedNotification: [...announced, ...['recipientId', ...receipts].map((field) => `recipients[].${field}`)],
  ChangeEntry: Object.keys(changeEntryFields),
  CreateNotification: [...announced, 'recipientIds'],
  MentionCreatedData: [...announced, 'recipientIds'],
  ChangeRecordedData: Object.keys(changeEntryFields),
  MentionRetractedData: ['notificationId', 'locationType', 'locationId', 'recipientIds'],
  EmailSentData: ['notificationId', 'recipientId'],
  NotificationReadData: ['notificationId', 'recipientId'],
  PersonErasedData: ['personId'],
  NotificationCreatedData: [...announced.map((field) => `notification.${field}`), ...parts],
  NotificationUnreadData: [
    ...notification.map((field) => `latest.${field}`),
    ...['recipientId', 'locationType', 'locationId', 'notificationIds', 'total', 'unreadCount'],
  ],
  NotificationRetractedData: ['notificationId', ...parts],
}
