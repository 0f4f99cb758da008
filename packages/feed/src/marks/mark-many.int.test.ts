import { randomUUID } from 'node:crypto'
import { makeUuidV7 } from '@herald/contracts'
import { usually } from '@herald/jest-preset/full-run'
import { toKey } from '@herald/mongo'
import { at, idAt, start } from '@herald/mongo/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { BulkMarkDocument } from '../documents/collections.ts'
import type { NotificationDocument } from '../documents/notification-document.ts'
import { newNotification, notificationIn, pageIn } from '../new-notification.fixture.ts'
import { createTestFeed } from '../test-feed.fixture.ts'

const { store, database, profile, migrate, close } = createTestFeed({ profiled: true })
const owners = Array.from({ length: 11 }, () => randomUUID() as string)
const [first, last] = ['00000000', 'ffffffff'].map((start) => `${start}-0000-4000-8000-000000000000`) as [
  string,
  string,
]
const ownerAt = (n: number) => owners[n] as string
const bulkMarks = database.collection<BulkMarkDocument>('bulk-marks')
// Each recipient has their own subscriber, because a notification is stored for its first recipients only.
const notification = (n: number, recipientId: string) =>
  newNotification(idAt(n), { subscriberId: recipientId, recipientIds: [recipientId] })

const feed = (recipientId: string) => store.notifications.of({ subscriberId: recipientId, recipientId })
/** Marked in several steps. */
const many = usually(2_500, { inFullRuns: 6_000 })
const marksOf = (owner: string) =>
  bulkMarks.find({ _id: { $gte: toKey(owner, owner, first), $lte: toKey(owner, owner, last) } }).toArray()
const fill = (recipientId: string, count: number) =>
  store.notifications.insertNew(Array.from({ length: count }, (_, n) => notification(n, recipientId)))

beforeAll(migrate)
afterAll(close)

test('all: marks every unread notification, over many steps, as one mark', async () => {
  const owner = ownerAt(2)
  await fill(owner, many)
  await fill(ownerAt(3), 10)
  await feed(owner).markRead(idAt(7), at(1))
  expect((await feed(owner).counts()).unreadCount).toBe(many - 1)
  expect(await feed(owner).markMany('read', { all: true }, at(10))).toBe(many - 1)
  expect((await feed(owner).counts()).unreadCount).toBe(0)
  expect(notificationIn(await feed(owner).get(idAt(7)))?.readAt).toEqual(at(1))
  expect(notificationIn(await feed(owner).get(idAt(8)))?.readAt).toEqual(at(10))
  expect((await feed(ownerAt(3)).counts()).unreadCount).toBe(10)
  expect(await marksOf(owner)).toMatchObject([{ count: many - 1, at: at(10) }])
  expect(await feed(owner).markMany('read', { all: true }, at(11))).toBe(0)
  expect(await marksOf(owner)).toHaveLength(1)
})

test('marks the rest and writes the end when run again after a failure', async () => {
  const owner = ownerAt(9)
  await fill(owner, 2_500)
  const refuse = (validator: object) => database.command({ collMod: 'notifications', validator })
  await refuse({ _id: { $ne: toKey(owner, owner, idAt(1_500)) } })
  await expect(feed(owner).markMany('read', { all: true }, at(10))).rejects.toThrow('Document failed validation')
  await refuse({})
  expect((await feed(owner).counts()).unreadCount).toBe(1_000)
  expect((await marksOf(owner)).map(({ begun, end }) => [begun, end])).toEqual([[{}, undefined]])
  expect(await feed(owner).markMany('read', { all: true }, at(11))).toBe(1_000)
  expect((await feed(owner).counts()).unreadCount).toBe(0)
  expect((await marksOf(owner)).filter(({ end }) => end)).toMatchObject([{ at: at(11), count: 1_000 }])
})

test('upTo: marks that notification and older ones', async () => {
  const owner = ownerAt(4)
  await fill(owner, 10)
  expect(await feed(owner).markMany('read', { all: true, upTo: idAt(3) }, at(10))).toBe(4)
  expect(pageIn(await feed(owner).list({ limit: 20, status: 'unread' })).notifications.map(({ id }) => id)).toEqual(
    [9, 8, 7, 6, 5, 4].map((n) => idAt(n)),
  )
})

test('ids: marks those that belong to the recipient and are unread', async () => {
  const owner = ownerAt(5)
  await fill(owner, 5)
  await store.notifications.insertNew([notification(99, ownerAt(6))])
  await feed(owner).markRead(idAt(1), at(1))
  const ids = [idAt(0), idAt(1), idAt(2), idAt(2), idAt(99), idAt(1_000)]
  expect(await feed(owner).markMany('read', { ids }, at(10))).toBe(2)
  expect((await feed(ownerAt(6)).counts()).unreadCount).toBe(1)
  expect(await marksOf(owner)).toMatchObject([{ count: 2 }])
})

test.each([{ all: true } as const, { ids: [idAt(0)] }])('%j: every read has a time limit', async (selection) => {
  const owner = ownerAt(10)
  await fill(owner, 10)
  const lines = await profile('notifications', () => feed(owner).markMany('read', selection, at(10)))
  const reads = lines.filter(({ command }) => command.find === 'notifications')
  expect(reads.length).toBeGreaterThan(0)
  expect(reads.filter(({ command }) => !(command.maxTimeMS > 0))).toEqual([])
})

test('leaves notifications unread that arrive meanwhile, even with an older time', async () => {
  const owner = ownerAt(7)
  await fill(owner, many)
  const letGo = await hold(owner, idAt(1_500))
  const marking = feed(owner).markMany('read', { all: true }, at(10))
  // Older than all, in between, and newer; all inserted after the mark has started.
  const late = [
    makeUuidV7(start - 5, Buffer.alloc(10, 1)),
    makeUuidV7(start + many / 2, Buffer.alloc(10, 0xff)),
    idAt(many + 3_000),
  ]
  await waitForFirstMark(owner)
  await store.notifications.insertNew(late.map((id) => ({ ...notification(0, owner), id })))
  await letGo()
  expect(await marking).toBe(many)
  expect((await feed(owner).counts()).unreadCount).toBe(3)
})

test('leaves notifications unread that are marked unread meanwhile, whatever the clocks', async () => {
  const owner = ownerAt(8)
  await fill(owner, many)
  const letGo = await hold(owner, idAt(1_500))
  const marking = feed(owner).markMany('read', { all: true }, at(10))
  await waitForFirstMark(owner)
  // By processes whose clocks are behind.
  expect(notificationIn(await feed(owner).markRead(idAt(many - 1), at(4)))?.readAt).toEqual(at(4))
  await feed(owner).markUnread(idAt(many - 1), at(5))
  await letGo()
  expect(await marking).toBe(many - 1)
  expect(notificationIn(await feed(owner).get(idAt(many - 1)))?.readAt).toBeNull()
  expect(await feed(owner).markMany('read', { all: true }, at(6))).toBe(1)
})

/** A transaction changes the notification, so a mark of many stops in the middle until the transaction is aborted. */
async function hold(owner: string, id: string): Promise<() => Promise<void>> {
  const session = database.client.startSession()
  session.startTransaction()
  await database
    .collection<NotificationDocument>('notifications')
    .updateOne({ _id: toKey(owner, owner, id) }, { $set: { emailSentAt: at(1) } }, { session })
  return async () => {
    await session.abortTransaction()
    await session.endSession()
  }
}

async function waitForFirstMark(owner: string): Promise<void> {
  while ((await feed(owner).counts()).unreadCount === many) await new Promise(setImmediate)
}
