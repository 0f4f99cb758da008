import { makeUuidV7 } from '@herald/contracts'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { toKey } from '../documents/binary.ts'
import type { BulkMarkDocument } from '../documents/collections.ts'
import { at, createOwnStore, idAt, newNotification, notificationIn, pageIn, start, uuid } from '../store.fixture.ts'

const { store, database, drop } = createOwnStore('mark-many')
const bulkMarks = database.collection<BulkMarkDocument>('bulk-marks')
// Each recipient has their own subscriber, because a notification is stored for its first recipients only.
const notification = (n: number, recipientId: string) =>
  newNotification(idAt(n), { subscriberId: recipientId, recipientIds: [recipientId] })

const feed = (recipientId: string) => store.notifications.of({ subscriberId: recipientId, recipientId })
const fill = (recipientId: string, count: number) =>
  store.notifications.insertNew(Array.from({ length: count }, (_, n) => notification(n, recipientId)))

beforeAll(() => store.migrate())
afterAll(drop)

test('all: marks every unread notification, over many steps, as one mark', async () => {
  const owner = uuid(2)
  await fill(owner, 5_500)
  await fill(uuid(3), 10)
  await feed(owner).markRead(idAt(7), at(1))
  expect((await feed(owner).counts()).unreadCount).toBe(5_499)
  expect(await feed(owner).markMany('read', { all: true }, at(10))).toBe(5_499)
  expect((await feed(owner).counts()).unreadCount).toBe(0)
  expect(notificationIn(await feed(owner).get(idAt(7)))?.readAt).toEqual(at(1))
  expect(notificationIn(await feed(owner).get(idAt(8)))?.readAt).toEqual(at(10))
  expect((await feed(uuid(3)).counts()).unreadCount).toBe(10)
  expect(await bulkMarks.countDocuments()).toBe(1)
  expect(await bulkMarks.findOne()).toMatchObject({ count: 5_499, at: at(10) })
  expect(await feed(owner).markMany('read', { all: true }, at(11))).toBe(0)
  expect(await bulkMarks.countDocuments()).toBe(1)
})

test('marks the rest and writes the end when run again after a failure', async () => {
  const owner = uuid(9)
  await fill(owner, 2_500)
  const refuse = (validator: object) => database.command({ collMod: 'notifications', validator })
  await refuse({ _id: { $ne: toKey(owner, owner, idAt(1_500)) } })
  await expect(feed(owner).markMany('read', { all: true }, at(10))).rejects.toThrow('Document failed validation')
  await refuse({})
  expect((await feed(owner).counts()).unreadCount).toBe(1_000)
  const ends = () => bulkMarks.find({ _id: { $gte: toKey(owner, owner, uuid(0)) } }).toArray()
  expect(await ends()).toEqual([])
  expect(await feed(owner).markMany('read', { all: true }, at(11))).toBe(1_000)
  expect((await feed(owner).counts()).unreadCount).toBe(0)
  expect(await ends()).toMatchObject([{ at: at(11), count: 1_000 }])
})

test('upTo: marks that notification and older ones', async () => {
  const owner = uuid(4)
  await fill(owner, 10)
  expect(await feed(owner).markMany('read', { all: true, upTo: idAt(3) }, at(10))).toBe(4)
  expect(pageIn(await feed(owner).list({ limit: 20, status: 'unread' })).notifications.map(({ id }) => id)).toEqual(
    [9, 8, 7, 6, 5, 4].map((n) => idAt(n)),
  )
})

test('ids: marks those that belong to the recipient and are unread', async () => {
  const owner = uuid(5)
  await fill(owner, 5)
  await store.notifications.insertNew([notification(99, uuid(6))])
  await feed(owner).markRead(idAt(1), at(1))
  const ids = [idAt(0), idAt(1), idAt(2), idAt(2), idAt(99), idAt(1_000)]
  expect(await feed(owner).markMany('read', { ids }, at(10))).toBe(2)
  expect((await feed(uuid(6)).counts()).unreadCount).toBe(1)
  expect(await bulkMarks.countDocuments({ count: 2 })).toBe(1)
})

test.each([{ all: true } as const, { ids: [idAt(0)] }])('%j: every read has a time limit', async (selection) => {
  const owner = uuid(10)
  await fill(owner, 10)
  await database.command({ profile: 2 })
  await feed(owner).markMany('read', selection, at(10))
  await database.command({ profile: 0 })
  const reads = await database
    .collection('system.profile')
    .find({ op: 'query', 'command.find': 'notifications' })
    .toArray()
  expect(reads.length).toBeGreaterThan(0)
  expect(reads.filter(({ command }) => !(command.maxTimeMS > 0))).toEqual([])
})

test('leaves notifications unread that arrive meanwhile, even with an older time', async () => {
  const owner = uuid(7)
  await fill(owner, 6_000)
  const marking = feed(owner).markMany('read', { all: true }, at(10))
  // Older than all, in between, and newer; all inserted after the mark has started.
  const late = [
    makeUuidV7(start - 5, Buffer.alloc(10, 1)),
    makeUuidV7(start + 3_000, Buffer.alloc(10, 0xff)),
    idAt(9_000),
  ]
  await waitForFirstMark(owner)
  await store.notifications.insertNew(late.map((id) => ({ ...notification(0, owner), id })))
  expect(await marking).toBe(6_000)
  expect((await feed(owner).counts()).unreadCount).toBe(3)
})

test('leaves notifications unread that are marked unread meanwhile, whatever the clocks', async () => {
  const owner = uuid(8)
  await fill(owner, 6_000)
  const marking = feed(owner).markMany('read', { all: true }, at(10))
  await waitForFirstMark(owner)
  // By processes whose clocks are behind.
  expect(notificationIn(await feed(owner).markRead(idAt(5_999), at(4)))?.readAt).toEqual(at(4))
  await feed(owner).markUnread(idAt(5_999), at(5))
  expect(await marking).toBe(5_999)
  expect(notificationIn(await feed(owner).get(idAt(5_999)))?.readAt).toBeNull()
  expect(await feed(owner).markMany('read', { all: true }, at(6))).toBe(1)
})

async function waitForFirstMark(owner: string): Promise<void> {
  while ((await feed(owner).counts()).unreadCount === 6_000) await new Promise(setImmediate)
}
