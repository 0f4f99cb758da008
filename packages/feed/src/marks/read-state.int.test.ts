import { toKey } from '@herald/mongo'
import { at, idAt, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { NotificationDocument } from '../documents/notification-document.ts'
import { newNotification, notificationIn } from '../new-notification.fixture.ts'
import { createTestFeed } from '../test-feed.fixture.ts'

const { store, subscriberId, database, migrate, close } = createTestFeed()
const documents = database.collection<NotificationDocument>('notifications')
let notifications = 0

/** Stores an unread notification for a new recipient, and returns the operations on its read state. */
async function stored() {
  const n = 1_000 + notifications++
  const id = idAt(n)
  const recipientId = uuid(n)
  await store.notifications.insertNew([newNotification(id, { subscriberId, recipientIds: [recipientId] })])
  const feed = store.notifications.of({ subscriberId, recipientId })
  const _id = toKey(subscriberId, recipientId, id)
  return {
    markRead: (seconds: number) => feed.markRead(id, at(seconds)),
    markUnread: (seconds: number) => feed.markUnread(id, at(seconds)),
    markAllRead: (seconds: number) => feed.markMany('read', { all: true }, at(seconds)),
    /** Applies a receipt, for the first time or repeatedly. */
    receipt: (seconds: number) =>
      store.receipts.apply(
        [
          {
            subscriberId,
            recipientId,
            notificationId: id,
            kind: 'read',
            at: at(seconds),
            eventId: uuid(50_000 + seconds),
            record: '',
          },
        ],
        { now: at(1_000), group: 'test' },
      ),
    readAt: async () => notificationIn(await feed.get(id))?.readAt,
    version: async () => (await documents.findOne({ _id }))?.readVersion ?? 0,
    change: (change: object) => documents.updateOne({ _id }, change),
  }
}

beforeAll(migrate)
afterAll(close)

const aheadBy3Minutes = 180

test('a receipt from 3 minutes ahead does not apply again after a mark-unread', async () => {
  const given = await stored()
  await given.receipt(aheadBy3Minutes)
  expect(await given.readAt()).toEqual(at(aheadBy3Minutes))
  await given.markUnread(60)
  await given.receipt(aheadBy3Minutes)
  expect(await given.readAt()).toBeNull()
})

test('a receipt for a read notification does not apply when it is redelivered after a mark-unread', async () => {
  const given = await stored()
  await given.markRead(10)
  await given.receipt(aheadBy3Minutes)
  expect(await given.readAt()).toEqual(at(10))
  await given.markUnread(60)
  await given.receipt(aheadBy3Minutes)
  expect(await given.readAt()).toBeNull()
})

test('a mark-unread with a clock that is behind counts as no older than the previous mark', async () => {
  const given = await stored()
  await given.markRead(10)
  await given.markUnread(9)
  await given.receipt(10)
  expect(await given.readAt()).toBeNull()
  await given.receipt(11)
  expect(await given.readAt()).toEqual(at(11))
})

test('a bulk mark includes notifications marked unread before it with a clock that is ahead', async () => {
  const given = await stored()
  await given.markRead(10)
  await given.markUnread(12)
  expect(await given.markAllRead(11)).toBe(1)
  expect(await given.readAt()).toEqual(at(11))
})

test('only what takes a mark back changes the version, also if there is nothing to take back', async () => {
  const given = await stored()
  const versions = [await given.version()]
  for (const change of [
    () => given.markRead(10),
    () => given.markRead(11),
    () => given.receipt(12),
    () => given.markUnread(13),
    () => given.markUnread(14),
    () => given.receipt(12),
    () => given.receipt(15),
    () => given.markUnread(16),
    () => given.markAllRead(17),
    () => given.markAllRead(18),
  ]) {
    await change()
    versions.push(await given.version())
  }
  expect(versions).toEqual([0, 0, 0, 0, 1, 2, 2, 2, 3, 3, 3])
})
