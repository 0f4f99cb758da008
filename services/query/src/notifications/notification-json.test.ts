import { notificationSchema } from '@herald/contracts'
import type { StoredNotification } from '@herald/store'
import { expect, test } from '@jest/globals'
import { notificationJson } from './notification-json.ts'

const uuid = (n: number) => `0190a6e0-7c1b-7def-8abc-${n.toString(16).padStart(12, '0')}`

const stored = (changes: Partial<StoredNotification> = {}): StoredNotification => ({
  id: uuid(1),
  subscriberId: uuid(2),
  type: 'mention',
  actor: { id: uuid(3), name: 'Ada', image: 'https://images.example/ada.png' },
  actorType: 'ai user',
  subjectId: uuid(4),
  subjectType: 'user',
  locationId: uuid(5),
  locationType: 'file comment',
  metadata: '{"mention":{"mentionerName":"Ada","snippet":"Look","anchorId":"a"},"add":{},"edit":{}}',
  createdAt: new Date('2026-01-31T09:30:00.999Z'),
  readAt: null,
  emailSentAt: null,
  ...changes,
})

test('contains exactly the fields of specification 2.2, in this order', () => {
  const notification = stored({ readAt: new Date('2026-02-01T00:00:59.999Z'), emailSentAt: new Date(0) })
  expect(notificationJson(notification)).toBe(
    JSON.stringify({
      id: uuid(1),
      subscriberId: uuid(2),
      type: 'mention',
      actorId: uuid(3),
      actorType: 'ai user',
      subjectId: uuid(4),
      subjectType: 'user',
      locationId: uuid(5),
      locationType: 'file comment',
      metadata: { mention: { mentionerName: 'Ada', snippet: 'Look', anchorId: 'a' }, add: {}, edit: {} },
      createdAt: '2026-01-31T09:30:00Z',
      updatedAt: '2026-01-31T09:30:00Z',
      actor: { id: uuid(3), name: 'Ada', image: 'https://images.example/ada.png' },
      readAt: '2026-02-01T00:00:59Z',
      emailSentAt: '1970-01-01T00:00:00Z',
    }),
  )
})

test('writes absent times as null', () => {
  expect(JSON.parse(notificationJson(stored()))).toMatchObject({ readAt: null, emailSentAt: null })
})

test.each([
  ['quotes', '"Ada", "readAt":null'],
  ['backslashes', '\\"\\u0022\\'],
  ['control characters', '\u0000\b\t\n\r\u001f\u007f'],
  ['line separators', '\u2028\u2029'],
  ['emoji', '👩‍👩‍👧 𝄞'],
  ['HTML', '</script><!--'],
])('preserves %s in the name and image of the actor', (_, text) => {
  const json = notificationJson(stored({ actor: { id: uuid(3), name: text, image: text } }))
  expect(JSON.parse(json).actor).toStrictEqual({ id: uuid(3), name: text, image: text })
})

test('copies metadata byte for byte', () => {
  const metadata =
    '{"mention":{"mentionerName":"","snippet":"\\u2028 \\"","entityType":"x"},"add":{"$set":1,"a.b":1.0,"":{}},"edit":{}}'
  expect(notificationJson(stored({ metadata }))).toContain(`"metadata":${metadata},"createdAt"`)
})

test('has exactly the fields of the contract’s schema', () => {
  for (const notification of [stored(), stored({ readAt: new Date(1), emailSentAt: new Date(2) })]) {
    const value = JSON.parse(notificationJson(notification))
    expect(notificationSchema.parse(value)).toStrictEqual(value)
    expect(Object.keys(value).sort()).toEqual(Object.keys(notificationSchema.shape).sort())
  }
})
