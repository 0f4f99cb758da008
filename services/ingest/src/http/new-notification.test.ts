import { createdNotificationSchema } from '@herald/contracts'
import { expect, test } from '@jest/globals'
import { toCreatedNotification, toNewNotification } from './new-notification.ts'

const person = '0190a6e0-7c1b-4def-8abc-000000000001'

test('the response of POST / has exactly the fields of the contract’s schema', () => {
  const mention = { mentionerName: 'Ada', snippet: 'Look', anchorId: 'a' }
  const notification = toNewNotification(
    {
      type: 'mention',
      actorType: 'user',
      subjectId: person,
      subjectType: 'user',
      locationId: person,
      locationType: 'comment',
      metadata: { mention, add: {}, edit: {} },
      recipientIds: [person],
    },
    { subscriberId: person, actor: { id: person, name: 'Ada', image: '' } },
    { id: person, createdAt: new Date('2026-01-31T09:30:00.999Z'), traceparent: undefined },
  )
  const response = toCreatedNotification(notification)
  expect(Object.keys(response).sort()).toEqual(Object.keys(createdNotificationSchema.shape).sort())
  expect(createdNotificationSchema.parse(response)).toStrictEqual(response)
})
