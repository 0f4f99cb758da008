import { createdNotificationSchema, formatTimestamp, notificationSchema } from '@herald/contracts'
import { bytesOf, uuid } from '@herald/mongo/testing'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Binary, BSON, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'mongodb'
import {
  anyNotification,
  anyTimes,
  documentBytes,
  documentOf,
  notification,
  type Times,
} from '../documents/notification.fixture.ts'
import type { NewNotification } from '../documents/notification-document.ts'
import { createdBody, notificationBody, notificationJson, notificationPageBody } from './notification-json.ts'

const timeOrNull = (time: Date | undefined) => (time === undefined ? null : formatTimestamp(time))

/** A notification as specification 2.2 defines it. */
const served = ({ actor, recipientIds, ...given }: NewNotification, times: Times = {}) => ({
  id: given.id,
  subscriberId: given.subscriberId,
  type: given.type,
  actorId: actor.id,
  actorType: given.actorType,
  subjectId: given.subjectId,
  subjectType: given.subjectType,
  locationId: given.locationId,
  locationType: given.locationType,
  metadata: JSON.parse(given.metadata),
  createdAt: formatTimestamp(given.createdAt),
  updatedAt: formatTimestamp(given.createdAt),
  actor: { id: actor.id, name: actor.name, image: actor.image },
  readAt: timeOrNull(times.readAt),
  emailSentAt: timeOrNull(times.emailSentAt),
  ...(times.archivedAt ? { archivedAt: timeOrNull(times.archivedAt) } : {}),
  ...(times.mutedAt ? { mutedAt: timeOrNull(times.mutedAt) } : {}),
})

const jsonOf = (given: NewNotification, times?: Times) => notificationJson(documentBytes(given, times)).toString()
const pageOf = (given: readonly NewNotification[], next: string | null = null) =>
  notificationPageBody({ documents: given.map((one) => documentBytes(one)), next }).toString()
const servedPage = (given: readonly NewNotification[], next: string | null = null) =>
  JSON.stringify({ data: { notifications: given.map((one) => served(one)), nextCursor: next } })

test('contains exactly the fields of specification 2.2, in this order', () => {
  const times = { readAt: new Date('2026-02-01T00:00:59.999Z'), emailSentAt: new Date(0) }
  expect(jsonOf(notification(), times)).toBe(JSON.stringify(served(notification(), times)))
  expect(jsonOf(notification())).toBe(JSON.stringify(served(notification())))
})

const metadata = '{"mention":{"mentionerName":"Ada","snippet":"Look","anchorId":"a"},"add":{},"edit":{}}'

test('has exactly the fields of the contract’s schema', () => {
  const [readAt, emailSentAt, archivedAt, mutedAt] = [1, 2, 3, 4].map((time) => new Date(time))
  for (const times of [{}, { readAt, emailSentAt }, { readAt, archivedAt, mutedAt }]) {
    const value = JSON.parse(jsonOf(notification({ metadata }), times))
    expect(notificationSchema.parse(value)).toStrictEqual(value)
    const { archivedAt: archived, mutedAt: muted, ...always } = notificationSchema.shape
    const expected = 'archivedAt' in times ? { ...always, archivedAt: archived, mutedAt: muted } : always
    expect(Object.keys(value).sort()).toEqual(Object.keys(expected).sort())
  }
})

test('the response of POST / has exactly the fields of the contract’s schema', () => {
  const { data } = JSON.parse(createdBody(notification({ metadata })))
  expect(Object.keys(data).sort()).toEqual(Object.keys(createdNotificationSchema.shape).sort())
  expect(createdNotificationSchema.parse(data)).toStrictEqual(data)
})

test('the response of POST / is in the form of specification 2.1, in this order', () => {
  const notifications = anyNotification.chain((one) =>
    fc.array(fc.uuid(), { minLength: 1 }).map((recipientIds) => ({ ...one, recipientIds })),
  )
  fc.assert(
    fc.property(notifications, (given) => {
      const { readAt: _, emailSentAt: __, ...content } = served(given)
      const recipients = given.recipientIds.map((recipientId) => ({ recipientId, readAt: null, emailSentAt: null }))
      expect(createdBody(given)).toBe(JSON.stringify({ data: { ...content, recipients } }))
    }),
  )
})

test('writes the same bytes as JSON.stringify, alone, as a body and in a page', () => {
  const notifications = fc.array(fc.tuple(anyNotification, anyTimes), { maxLength: 4 })
  fc.assert(
    fc.property(notifications, fc.option(fc.uuid()), (given, nextCursor) => {
      const expected = given.map((one) => served(...one))
      const documents = given.map((one) => documentBytes(...one))
      const page = notificationPageBody({ documents, next: nextCursor }).toString()
      expect(page).toBe(JSON.stringify({ data: { notifications: expected, nextCursor } }))
      documents.forEach((document, n) => {
        expect(notificationJson(document).toString()).toBe(JSON.stringify(expected[n]))
        expect(notificationBody(document).toString()).toBe(JSON.stringify({ data: expected[n] }))
      })
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  ['quotes', '"Ada", "readAt":null'],
  ['backslashes', '\\"\\u0022\\'],
  ['control characters', '\u0000\b\t\n\r\u001f\u007f'],
  ['line separators', '\u2028\u2029'],
  ['emoji', '👩‍👩‍👧 𝄞'],
  ['HTML', '</script><!--'],
])('preserves %s in the name and image of the actor', (_, text) => {
  const json = jsonOf(notification({ actor: { id: uuid(3), name: text, image: text } }))
  expect(JSON.parse(json).actor).toStrictEqual({ id: uuid(3), name: text, image: text })
})

test('copies metadata byte for byte', () => {
  const metadata =
    '{"mention":{"mentionerName":"","snippet":"\\u2028 \\"","entityType":"x"},"add":{"$set":1,"a.b":1.0,"":{}},"edit":{}}'
  expect(jsonOf(notification({ metadata }))).toContain(`"metadata":${metadata},"createdAt"`)
})

test.each([
  ['larger than the buffer', 3 << 20, 'x'],
  ['with only escaped characters', 100_000, '\u0001'],
  ['with characters of three bytes', 100_000, '€'],
])('also writes a notification %s', (_, length, character) => {
  const large = notification({ actor: { id: uuid(3), name: character.repeat(length), image: '' } })
  const page = [notification(), large, notification()]
  expect(pageOf(page) === servedPage(page)).toBe(true)
  expect(pageOf([notification()])).toBe(servedPage([notification()]))
})

test('a returned page is not changed by the next one', () => {
  const kept = notificationPageBody({ documents: [documentBytes(notification())], next: null })
  pageOf([notification({ type: 'mention', subjectId: uuid(99) })])
  expect(kept.toString()).toBe(servedPage([notification()]))
})

test('ignores the order of fields and those that are not served', () => {
  const { box: _, ...document } = documentOf(notification())
  const times = { readAt: new Date(0), readStateAt: new Date(1), emailSentAt: new Date(2) }
  const stored = { ...times, ...document, bulkMark: new Binary(Buffer.alloc(16), 4), readVersion: 3 }
  expect(notificationJson(bytesOf(stored)).toString()).toBe(JSON.stringify(served(notification(), times)))
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
    const stored = bytesOf({ newer: value, ...documentOf(notification()), newerYet: value })
    expect(notificationJson(stored).toString()).toBe(JSON.stringify(served(notification())))
  })
})

test('writes unknown values of known fields unchanged', () => {
  const stored = bytesOf({ ...documentOf(notification()), locationType: 'board', actorType: '' })
  expect(JSON.parse(notificationJson(stored).toString())).toMatchObject({ locationType: 'board', actorType: '' })
})

test('throws for a document without a field that every document has', () => {
  const { actorName: _, ...document } = documentOf(notification())
  expect(() => notificationJson(bytesOf(document))).toThrow('The document has no actorName')
})
