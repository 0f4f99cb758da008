import { makeUuidV7 } from '@herald/contracts'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { NewNotification } from './notification-document.ts'
import type { Receipt, ReceiptKind } from './receipts.ts'
import { at, createTestStore, newNotification, start, subscriberId, uuid } from './store.fixture.ts'

const { store, database, examined, drop } = createTestStore('receipts')
const waiting = database.collection('waiting-receipts')

let events = 0
function receipt(notification: NewNotification, kind: ReceiptKind, seconds: number): Receipt {
  const [recipientId = ''] = notification.recipientIds
  const eventId = uuid(10_000 + events++)
  return { subscriberId, recipientId, notificationId: notification.id, kind, at: at(seconds), eventId, record: eventId }
}

let notifications = 0
function notification(): NewNotification {
  const n = 1_000 + notifications++
  return newNotification(makeUuidV7(start + n, Buffer.alloc(10, n)), { recipientIds: [uuid(n), uuid(n + 5_000)] })
}

async function arrive(...arriving: NewNotification[]): Promise<void> {
  await store.notifications.insertNew(arriving)
  await store.receipts.settle(arriving)
}

const feed = ({ recipientIds }: NewNotification) =>
  store.notifications.of({ subscriberId, recipientId: recipientIds[0] ?? '' })
const stateOf = async (given: NewNotification) => {
  const found = await feed(given).get(given.id)
  return { readAt: found?.readAt, emailSentAt: found?.emailSentAt }
}

beforeAll(() => store.migrate())
afterAll(drop)

test('of several e-mail receipts the earliest stands, in whatever order they come', async () => {
  const given = notification()
  await arrive(given)
  expect(await store.receipts.apply([receipt(given, 'email-sent', 20)], at(100))).toBe(0)
  await store.receipts.apply([receipt(given, 'email-sent', 10), receipt(given, 'email-sent', 30)], at(100))
  expect(await stateOf(given)).toEqual({ readAt: null, emailSentAt: at(10) })
})

test('a receipt concerns one recipient', async () => {
  const given = notification()
  await arrive(given)
  await store.receipts.apply([receipt(given, 'read', 20)], at(100))
  const other = store.notifications.of({ subscriberId, recipientId: given.recipientIds[1] ?? '' })
  expect((await other.get(given.id))?.readAt).toBeNull()
})

test('a read receipt applies once; replayed after a mark-unread it changes nothing', async () => {
  const given = notification()
  await arrive(given)
  const read = receipt(given, 'read', 20)
  await store.receipts.apply([read], at(100))
  expect((await stateOf(given)).readAt).toEqual(at(20))
  await feed(given).markUnread(given.id, at(50))
  await store.receipts.apply([read], at(100))
  expect((await stateOf(given)).readAt).toBeNull()
  await store.receipts.apply([receipt(given, 'read', 60)], at(100))
  expect((await stateOf(given)).readAt).toEqual(at(60))
})

test('what is read keeps its first time', async () => {
  const given = notification()
  await arrive(given)
  await store.receipts.apply([receipt(given, 'read', 20), receipt(given, 'read', 30)], at(100))
  expect((await stateOf(given)).readAt).toEqual(at(20))
})

test('a receipt ahead of its notification waits, and is applied when the notification comes', async () => {
  const given = notification()
  const receipts = [receipt(given, 'email-sent', 5), receipt(given, 'read', 6)]
  expect(await store.receipts.apply(receipts, at(0))).toBe(2)
  expect(await store.receipts.apply(receipts, at(1))).toBe(2)
  await arrive(notification(), given)
  expect(await stateOf(given)).toEqual({ readAt: at(6), emailSentAt: at(5) })
  expect(await waiting.countDocuments()).toBe(0)
})

test('receipts and notifications that race are all brought together', async () => {
  const given = Array.from({ length: 200 }, notification)
  await Promise.all([
    ...given.map((one) => arrive(one)),
    ...given.map((one) => store.receipts.apply([receipt(one, 'email-sent', 5)], at(0))),
  ])
  const states = await Promise.all(given.map(stateOf))
  expect(states.every(({ emailSentAt }) => emailSentAt?.getTime() === at(5).getTime())).toBe(true)
  expect(await waiting.countDocuments()).toBe(0)
})

test('one that was left to wait by a failure, and comes again when its notification is there, waits no longer', async () => {
  const given = notification()
  const late = receipt(given, 'read', 5)
  await store.receipts.apply([late], at(0))
  await store.notifications.insertNew([given])
  expect(await store.receipts.apply([late], at(1))).toBe(0)
  expect((await stateOf(given)).readAt).toEqual(at(5))
  expect(await waiting.countDocuments()).toBe(0)
})

test('more that wait than are looked through one by one', async () => {
  const given = Array.from({ length: 1_200 }, notification)
  await store.receipts.apply(
    given.map((one) => receipt(one, 'email-sent', 5)),
    at(0),
  )
  await arrive(...given)
  expect(await waiting.countDocuments()).toBe(0)
})

test('one that waits in vain is claimed once, by one, and again when its claimer dies', async () => {
  const vain = receipt(notification(), 'read', 5)
  await store.receipts.apply([vain], at(0))
  expect(await store.receipts.claimOverdue(at(0), at(600), 1_000)).toBeUndefined()
  const claims = await Promise.all([1, 2, 3].map(() => store.receipts.claimOverdue(at(601), at(601), 1_000)))
  expect(claims.filter((claim) => claim !== undefined)).toMatchObject([{ record: vain.record }])
  const again = await store.receipts.claimOverdue(at(601), at(603), 1_000)
  expect(again?.record).toBe(vain.record)
  await again?.forget()
  expect(await store.receipts.claimOverdue(at(601), at(700), 1_000)).toBeUndefined()
})

test('one whose notification has come is applied in place of being claimed', async () => {
  const given = notification()
  await store.receipts.apply([receipt(given, 'email-sent', 5)], at(0))
  await store.notifications.insertNew([given])
  expect(await store.receipts.claimOverdue(at(601), at(601), 1_000)).toBeUndefined()
  expect((await stateOf(given)).emailSentAt).toEqual(at(5))
})

test('a receipt examines one document, a list of marks no more than itself', async () => {
  const given = Array.from({ length: 20 }, notification)
  await arrive(...given)
  const lines = await examined('notifications', async () => {
    await store.receipts.apply(
      given.map((one) => receipt(one, 'read', 20)),
      at(100),
    )
    const own = feed(given[0] as NewNotification)
    await own.markUnread(given[0]?.id ?? '', at(150))
    await own.markManyRead({ ids: given.map(({ id }) => id) }, at(200))
  })
  expect(lines.length).toBeGreaterThanOrEqual(22)
  expect(Math.max(...lines.map(({ keys, documents }) => Math.max(keys, documents)))).toBeLessThanOrEqual(40)
  expect(lines.filter(({ plan }) => plan === 'COLLSCAN')).toEqual([])
})
