import fc from 'fast-check'
import { anyText, anyTime, bytesOf, newNotification, subscriberId, uuid } from '../store.fixture.ts'
import { type NewNotification, type NotificationDocument, toNotificationDocuments } from './notification-document.ts'

export const notification = (changes: Partial<NewNotification> = {}) => newNotification(uuid(2), changes)

export type Times = { readonly readAt?: Date | undefined; readonly emailSentAt?: Date | undefined }

/** The document of a notification's first recipient. */
export function documentOf(given: NewNotification, { readAt, emailSentAt }: Times = {}): NotificationDocument {
  const [document] = [...toNotificationDocuments(given)] as [NotificationDocument]
  const { unread, ...others } = document
  return { ...others, ...(readAt ? { readAt } : { unread: true }), ...(emailSentAt ? { emailSentAt } : {}) }
}

export const documentBytes = (given: NewNotification, times?: Times) => bytesOf(documentOf(given, times))

export const anyNotification: fc.Arbitrary<NewNotification> = fc.record({
  id: fc.uuid(),
  subscriberId: fc.constant(subscriberId),
  recipientIds: fc.constant([uuid(3)]),
  type: fc.constant('mention'),
  actor: fc.record({ id: fc.uuid(), name: anyText, image: anyText }),
  actorType: fc.constantFrom('user', 'ai user'),
  subjectId: fc.uuid(),
  subjectType: fc.constantFrom('comment', 'user'),
  locationId: fc.uuid(),
  locationType: fc.constantFrom('entity', 'file comment'),
  metadata: fc.json(),
  createdAt: anyTime,
})

export const anyTimes: fc.Arbitrary<Times> = fc.record({
  readAt: fc.option(anyTime, { nil: undefined }),
  emailSentAt: fc.option(anyTime, { nil: undefined }),
})
