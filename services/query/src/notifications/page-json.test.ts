import { uuidToBytes } from '@herald/contracts'
import type { StoredNotification } from '@herald/store'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Binary, BSON } from 'mongodb'
import { notificationJson } from './notification-json.ts'
import { pageJson } from './page-json.ts'

const subscriberId = '0190a6e0-7c1b-7def-8abc-000000000001'
const uuidBinary = (uuid: string) => new Binary(uuidToBytes(uuid), 4)

/** The document of a notification in its recipient's feed. */
function documentOf(notification: StoredNotification): Buffer {
  const { id, actor, readAt, emailSentAt, subscriberId: subscriber, ...rest } = notification
  const key = Buffer.concat([subscriber, subscriber, id].map(uuidToBytes))
  return Buffer.from(
    BSON.serialize({
      _id: new Binary(key),
      v: 1,
      ...(readAt ? { readAt } : { unread: true }),
      ...(emailSentAt ? { emailSentAt } : {}),
      ...rest,
      ...{ actorId: uuidBinary(actor.id), actorName: actor.name, actorImage: actor.image },
      ...{ subjectId: uuidBinary(notification.subjectId), locationId: uuidBinary(notification.locationId) },
    }),
  )
}

const time = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
const timeOrNull = fc.option(time)
/** Text that survives UTF-8: without lone surrogates. */
const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary-ascii' }))
const notification: fc.Arbitrary<StoredNotification> = fc.record({
  id: fc.uuid(),
  subscriberId: fc.constant(subscriberId),
  type: fc.constant('mention' as const),
  actor: fc.record({ id: fc.uuid(), name: text, image: text }),
  actorType: fc.constantFrom('user' as const, 'ai user' as const),
  subjectId: fc.uuid(),
  subjectType: fc.constantFrom('comment' as const, 'user' as const),
  locationId: fc.uuid(),
  locationType: fc.constantFrom('entity' as const, 'file comment' as const),
  metadata: fc.json(),
  createdAt: time,
  readAt: timeOrNull,
  emailSentAt: timeOrNull,
})

/** The page as serialized from notifications. */
const expected = (page: readonly StoredNotification[], next: string | null) =>
  `{"data":{"notifications":[${page.map(notificationJson).join(',')}],"nextCursor":${JSON.stringify(next)}}}`

test('writes the same bytes as notificationJson', () => {
  fc.assert(
    fc.property(fc.array(notification, { maxLength: 4 }), fc.option(fc.uuid()), (page, next) => {
      expect(pageJson(page.map(documentOf), subscriberId, next).toString()).toBe(expected(page, next))
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  ['larger than the buffer', 3 << 20, 'x'],
  ['with only escaped characters', 100_000, '\u0001'],
  ['with characters of three bytes', 100_000, '€'],
])('also for a notification %s', (_, length, character) => {
  const [one] = fc.sample(notification, { numRuns: 1, seed: 1 }) as [StoredNotification]
  const large = { ...one, actor: { ...one.actor, name: character.repeat(length) } }
  const page = [one, large, one]
  expect(pageJson(page.map(documentOf), subscriberId, null).toString() === expected(page, null)).toBe(true)
  expect(pageJson([documentOf(one)], subscriberId, null).toString()).toBe(expected([one], null))
})

test('a returned page is not changed by the next one', () => {
  const [one, other] = fc.sample(notification, { numRuns: 2, seed: 2 }) as [StoredNotification, StoredNotification]
  const kept = pageJson([documentOf(one)], subscriberId, null)
  pageJson([documentOf(other)], subscriberId, null)
  expect(kept.toString()).toBe(expected([one], null))
})
