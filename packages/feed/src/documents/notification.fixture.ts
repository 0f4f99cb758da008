import { anyText, anyTime, bytesOf, subscriberId, uuid } from '@herald/mongo/testing'
import fc from 'fast-check'
import { newNotification } from '../new-notification.fixture.ts'
import {
  boxes,
  type NewNotification,
  type NotificationDocument,
  toNotificationDocuments,
} from './notification-document.ts'

export const notification = (changes: Partial<NewNotification> = {}) => newNotification(uuid(2), changes)

export type Times = Partial<Record<'readAt' | 'emailSentAt' | 'archivedAt' | 'mutedAt', Date | undefined>>

/** The document of a notification's first recipient. */
export function documentOf(given: NewNotification, times: Times = {}): NotificationDocument {
  const [document] = [...toNotificationDocuments(given)] as [NotificationDocument]
  const set = Object.fromEntries(Object.entries(times).filter(([, time]) => time !== undefined))
  return { ...document, box: times.readAt ? boxes.read : boxes.unread, ...set }
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
  archivedAt: fc.option(anyTime, { nil: undefined }),
  mutedAt: fc.option(anyTime, { nil: undefined }),
})
