import { at, idAt, subscriberId, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { NewNotification } from '../documents/notification-document.ts'
import type { Receipt, ReceiptKind } from '../documents/waiting-receipt.ts'
import { newNotification, notificationIn } from '../new-notification.fixture.ts'
import { createEmptyFeed } from '../test-feed.fixture.ts'

const { store, database, examined, profile, migrate, close } = createEmptyFeed()
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
  return newNotification(idAt(n), { recipientIds: [uuid(n), uuid(n + 5_000)] })
}

async function storeAndSettle(...arrived: NewNotification[]): Promise<void> {
  await store.notifications.insertNew(arrived)
}

const feed = ({ recipientIds }: NewNotification) =>
  store.notifications.of({ subscriberId, recipientId: recipientIds[0] ?? '' })
const stateOf = async (given: NewNotification) => {
  const found = notificationIn(await feed(given).get(given.id))
  return { readAt: found?.readAt, emailSentAt: found?.emailSentAt }
}

const context = (seconds: number, group = 'herald-ingest') => ({ now: at(seconds), group })
const claim = (before: number, now = before, group?: string) =>
  store.receipts.claimOverdue({ ...context(now, group), before: at(before), leaseMs: 1_000 })

beforeAll(migrate)
afterAll(close)

test('keeps the earliest of several e-mail receipts, in any order', async () => {
  const given = notification()
  await storeAndSettle(given)
  expect(await store.receipts.apply([receipt(given, 'email-sent', 20)], context(100))).toMatchObject({ waiting: 0 })
  await store.receipts.apply([receipt(given, 'email-sent', 10), receipt(given, 'email-sent', 30)], context(100))
  expect(await stateOf(given)).toEqual({ readAt: null, emailSentAt: at(10) })
})

test('applies a receipt to one recipient', async () => {
  const given = notification()
  await storeAndSettle(given)
  await store.receipts.apply([receipt(given, 'read', 20)], context(100))
  const other = store.notifications.of({ subscriberId, recipientId: given.recipientIds[1] ?? '' })
  expect(notificationIn(await other.get(given.id))?.readAt).toBeNull()
})

test('a read receipt applies once; a replay after a mark-unread changes nothing', async () => {
  const given = notification()
  await storeAndSettle(given)
  const read = receipt(given, 'read', 20)
  await store.receipts.apply([read], context(100))
  expect((await stateOf(given)).readAt).toEqual(at(20))
  await feed(given).markUnread(given.id, at(50))
  await store.receipts.apply([read], context(100))
  expect((await stateOf(given)).readAt).toBeNull()
  await store.receipts.apply([receipt(given, 'read', 60)], context(100))
  expect((await stateOf(given)).readAt).toEqual(at(60))
})

test('keeps the first read time', async () => {
  const given = notification()
  await storeAndSettle(given)
  await store.receipts.apply([receipt(given, 'read', 20), receipt(given, 'read', 30)], context(100))
  expect((await stateOf(given)).readAt).toEqual(at(20))
})

test('keeps a receipt without a notification waiting, and applies it when the notification arrives', async () => {
  const given = notification()
  const receipts = [receipt(given, 'email-sent', 5), receipt(given, 'read', 6)]
  expect(await store.receipts.apply(receipts, context(0))).toMatchObject({ waiting: 2 })
  expect(await store.receipts.apply(receipts, context(1))).toMatchObject({ waiting: 2 })
  await storeAndSettle(notification(), given)
  expect(await stateOf(given)).toEqual({ readAt: at(6), emailSentAt: at(5) })
  expect(await waiting.countDocuments()).toBe(0)
})

test('applies every receipt when receipts and notifications race', async () => {
  const given = Array.from({ length: 200 }, notification)
  // Not all at once: on a busy machine the last would wait too long for a connection.
  for (let n = 0; n < given.length; n += 20) {
    const some = given.slice(n, n + 20)
    await Promise.all([
      ...some.map((one) => storeAndSettle(one)),
      ...some.map((one) => store.receipts.apply([receipt(one, 'email-sent', 5)], context(0))),
    ])
  }
  const states = await Promise.all(given.map(stateOf))
  expect(states.every(({ emailSentAt }) => emailSentAt?.getTime() === at(5).getTime())).toBe(true)
  expect(await waiting.countDocuments()).toBe(0)
})

test('removes a waiting receipt that is redelivered after its notification was stored', async () => {
  const given = notification()
  const late = receipt(given, 'read', 5)
  await store.receipts.apply([late], context(0))
  await store.notifications.insertNew([given])
  expect(await store.receipts.apply([late], context(1))).toMatchObject({ waiting: 0 })
  expect((await stateOf(given)).readAt).toEqual(at(5))
  expect(await waiting.countDocuments()).toBe(0)
})

test('applies more waiting receipts than are examined one by one', async () => {
  const given = Array.from({ length: 1_200 }, notification)
  await store.receipts.apply(
    given.map((one) => receipt(one, 'email-sent', 5)),
    context(0),
  )
  await storeAndSettle(...given)
  expect(await waiting.countDocuments()).toBe(0)
})

test('an overdue receipt is claimed by one process, and again after its lease', async () => {
  const unmatched = receipt(notification(), 'read', 5)
  await store.receipts.apply([unmatched], context(0))
  expect(await claim(0, 600)).toBeUndefined()
  const claims = await Promise.all([1, 2, 3].map(() => claim(601)))
  expect(claims.filter((claimed) => claimed !== undefined)).toMatchObject([{ records: [unmatched.record] }])
  const again = await claim(601, 603)
  expect(again?.records).toEqual([unmatched.record])
  // Before that, its clock was set back.
  expect((await claim(601, 500))?.records).toEqual([unmatched.record])
  await (await claim(601, 700))?.forget()
  expect(await claim(601, 800)).toBeUndefined()
})

test('applies an overdue receipt whose notification exists instead of claiming it', async () => {
  const given = notification()
  await store.receipts.apply([receipt(given, 'email-sent', 5)], context(0))
  await store.notifications.insertNew([given])
  expect(await claim(601)).toBeUndefined()
  expect((await stateOf(given)).emailSentAt).toEqual(at(5))
})

test('claims batches that are bounded in number and in bytes', async () => {
  const many = Array.from({ length: 250 }, () => receipt(notification(), 'read', 5))
  await store.receipts.apply(many, context(0))
  const large = Array.from({ length: 3 }, () => ({
    ...receipt(notification(), 'read', 5),
    record: 'x'.repeat(3 << 20),
  }))
  await store.receipts.apply(large, context(1))
  const batches: number[] = []
  for (let claimed = await claim(601); claimed; claimed = await claim(601)) {
    batches.push(claimed.records.length)
    await claimed.forget()
  }
  expect(batches.reduce((sum, count) => sum + count, 0)).toBe(253)
  expect(batches.slice(0, 1)).toEqual([200])
  expect(batches.slice(-2)).toEqual([1, 1])
})

test('a group claims receipts of another group only after a day', async () => {
  const unmatched = receipt(notification(), 'read', 5)
  await store.receipts.apply([unmatched], context(0, 'replay'))
  expect(await claim(601)).toBeUndefined()
  const oneDay = 24 * 60 * 60
  const claimed = await claim(601 + oneDay)
  expect(claimed?.records).toEqual([unmatched.record])
  await claimed?.forget()
})

test('a receipt replayed in another group waits for that group', async () => {
  const unmatched = receipt(notification(), 'read', 5)
  await store.receipts.apply([unmatched], context(0))
  await store.receipts.apply([unmatched], context(500, 'replay'))
  expect(await claim(700)).toBeUndefined()
  expect(await claim(500, 1_200, 'replay')).toBeUndefined()
  const claimed = await claim(501, 1_200, 'replay')
  expect(claimed?.records).toEqual([unmatched.record])
  await claimed?.forget()
})

test('reports a receipt that MongoDB refuses to store, while others wait', async () => {
  const [given, other] = [notification(), notification()]
  const refused = { ...receipt(given, 'email-sent', 5), record: 'x'.repeat(17 << 20) }
  const applied = await store.receipts.apply([receipt(other, 'read', 5), refused], context(0))
  expect([applied.waiting, applied.refused.map(({ document }) => document)]).toEqual([1, [refused]])
  await storeAndSettle(given, other)
  expect((await store.receipts.apply([refused], context(1))).refused).toEqual([])
  expect((await stateOf(given)).emailSentAt).toEqual(at(5))
})

test('a receipt examines one document, a bulk mark no more than its own', async () => {
  const given = Array.from({ length: 20 }, notification)
  await storeAndSettle(...given)
  const lines = await examined('notifications', async () => {
    await store.receipts.apply(
      given.map((one) => receipt(one, 'read', 20)),
      context(100),
    )
    const own = feed(given[0] as NewNotification)
    await own.markUnread(given[0]?.id ?? '', at(150))
    await own.markMany('read', { ids: given.map(({ id }) => id) }, at(200))
  })
  expect(lines.length).toBeGreaterThanOrEqual(22)
  expect(Math.max(...lines.map(({ keys, documents }) => Math.max(keys, documents)))).toBeLessThanOrEqual(40)
  expect(lines.filter(({ plan }) => plan === 'COLLSCAN')).toEqual([])
})

test('applies waiting receipts without reading their records', async () => {
  const given = notification()
  const large = [7, 5, 6].map((seconds) => ({
    ...receipt(given, 'email-sent', seconds),
    record: 'x'.repeat(3 << 20),
  }))
  await store.receipts.apply(large, context(0))
  const lines = await profile('waiting-receipts', () => storeAndSettle(given))
  const read = lines.filter(({ op }) => op === 'query')
  expect(read.length).toBeGreaterThanOrEqual(1)
  expect(Math.max(...read.map(({ responseLength }) => responseLength))).toBeLessThan(10_000)
  expect((await stateOf(given)).emailSentAt).toEqual(at(5))
})

test('applies any number of receipts of one notification, and reads at most 1,000 at a time', async () => {
  const [flooded, other] = [notification(), notification()]
  await store.receipts.apply([receipt(other, 'read', 30), receipt(other, 'read', 20)], context(100))
  const flood = Array.from({ length: 2_500 }, () => receipt(flooded, 'email-sent', 10))
  for (let from = 0; from < flood.length; from += 500) {
    await store.receipts.apply(flood.slice(from, from + 500), context(100))
  }
  const before = await waiting.countDocuments()
  const lines = await examined('waiting-receipts', () => storeAndSettle(flooded, other))
  expect(Math.max(...lines.map(({ documents }) => documents))).toBeLessThanOrEqual(1_001)
  expect([await stateOf(flooded), await stateOf(other)]).toEqual([
    { readAt: null, emailSentAt: at(10) },
    { readAt: at(20), emailSentAt: null },
  ])
  expect(before - (await waiting.countDocuments())).toBe(2_502)
})
