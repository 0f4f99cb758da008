import { timeOfUuidV7 } from '@herald/contracts'
import { start, subscriberId, uuid } from '@herald/mongo/testing'
import type { NewNotification } from './documents/notification-document.ts'

/** A notification whose time is that of its id. */
export function newNotification(id: string, changes: Partial<NewNotification> = {}): NewNotification {
  return {
    id,
    subscriberId,
    type: 'mention',
    actor: { id: uuid(90), name: 'Ada', image: '' },
    actorType: 'user',
    subjectId: uuid(91),
    subjectType: 'user',
    locationId: uuid(92),
    locationType: 'comment',
    metadata: '{"mention":{},"add":{"$set":1,"a.b":2},"edit":{}}',
    createdAt: new Date(timeOfUuidV7(id) ?? start),
    recipientIds: [uuid(2)],
    ...changes,
  }
}

type Json = Readonly<Record<string, string | null>>
const timeIn = (text: string | null | undefined) => (text ? new Date(text) : null)
const withTimes = ({ readAt, emailSentAt, ...json }: Json) => ({
  ...json,
  id: json.id as string,
  readAt: timeIn(readAt),
  emailSentAt: timeIn(emailSentAt),
})

/** The notification in the body of a response, if there is one. */
export const notificationIn = (body: Buffer | null) => (body === null ? null : withTimes(JSON.parse(String(body)).data))

/** The page in the body of a response. */
export function pageIn(body: Buffer) {
  const { notifications, nextCursor } = JSON.parse(String(body)).data
  return { notifications: (notifications as Json[]).map(withTimes), next: nextCursor as string | null }
}
