import { uuidToBytes } from '@herald/contracts'
import { describe, expect, test } from '@jest/globals'
import { Binary, BSON, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'mongodb'
import {
  fromNotificationDocument,
  type NotificationDocument,
  toNotificationDocuments,
} from './notification-document.ts'
import { readNotification } from './read-notification.ts'

const uuid = (n: number) => `0190a6e0-7c1b-7def-8abc-${n.toString(16).padStart(12, '0')}`
const subscriberId = uuid(1)

const [document] = [
  ...toNotificationDocuments({
    id: uuid(2),
    subscriberId,
    recipientIds: [uuid(3)],
    type: 'mention',
    actor: { id: uuid(4), name: 'Zoë "Z" \u0001🔑', image: '' },
    actorType: 'ai user',
    subjectId: uuid(5),
    subjectType: 'file comment',
    locationId: uuid(6),
    locationType: 'value',
    metadata: '{"mention":{"snippet":"\\ud800","ключ":1},"add":{},"edit":{}}',
    createdAt: new Date(1_764_000_000_123),
  }),
] as [NotificationDocument]

/** Reads a notification with the driver and with `readNotification`. */
function readBoth(stored: object) {
  const bytes = Buffer.from(BSON.serialize(stored))
  return {
    driver: fromNotificationDocument(BSON.deserialize(bytes) as NotificationDocument),
    own: readNotification(bytes, subscriberId),
  }
}

test('reads an unread notification like the driver', () => {
  const { own, driver } = readBoth(document)
  expect(own).toEqual(driver)
})

test('reads a notification that is read, e-mailed and marked in bulk, with its fields in any order', () => {
  const { unread: _, ...read } = document
  const times = { readAt: new Date(0), readStateAt: new Date(1), emailSentAt: new Date(-1) }
  const stored = { ...times, ...read, bulkMark: new Binary(uuidToBytes(uuid(7)), 4) }
  const { own, driver } = readBoth(stored)
  expect(own).toEqual(driver)
  expect(own).toMatchObject({ readAt: new Date(0), emailSentAt: new Date(-1) })
})

describe('an unknown field of a newer release', () => {
  test.each([
    ['a double', new Double(1.5)],
    ['a text', 'x'],
    ['a document', { actorName: 'nested', list: [1, { type: 'x' }] }],
    ['a list', [1, [2]]],
    ['a binary value', new Binary(Buffer.from([0, 0, 0]))],
    ['an ObjectId', new ObjectId()],
    ['a boolean', true],
    ['a date', new Date()],
    ['nothing', null],
    ['a regular expression', /a.b/i],
    ['code', new BSON.Code('f()')],
    ['code with scope', new BSON.Code('f()', { a: 1 })],
    ['a small number', new Int32(1)],
    ['a timestamp', new Timestamp({ t: 1, i: 1 })],
    ['a large number', Long.fromString('9007199254740993')],
    ['a decimal', Decimal128.fromString('1.5')],
    ['the min key', new MinKey()],
    ['the max key', new MaxKey()],
  ])('is skipped: %s', (_, value) => {
    const { own, driver } = readBoth({ newer: value, ...document, newerYet: value })
    expect(own).toEqual(driver)
  })
})

test('returns unknown values of known fields unchanged', () => {
  expect(readBoth({ ...document, locationType: 'board', actorType: '' }).own).toMatchObject({
    locationType: 'board',
    actorType: '',
  })
})
