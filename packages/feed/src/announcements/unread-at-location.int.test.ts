import { usually } from '@herald/jest-preset/full-run'
import { toKey, toUuidBinary, uuidIn } from '@herald/mongo'
import { at, subscriberId, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type NewNotification, toNotificationDocuments } from '../documents/notification-document.ts'
import { mention } from '../retractions/fan-outs.fixture.ts'
import { createEmptyFeed, createWriters } from '../test-feed.fixture.ts'
import { readUnreadAt } from './unread-at-location.ts'

const { store, database, collections, examined, migrate, close } = createEmptyFeed()
beforeAll(migrate)
afterAll(close)
beforeEach(async () => {
  for (const name of ['notifications', 'fan-outs', 'digests']) await database.collection(name).deleteMany({})
})

const recipientId = uuid(2)
const unreadAfterMs = 60_000
const announcing = { isRecent: () => true, onTooOld: () => {}, now: () => at(0), unreadAfterMs }
const { insertNew, announcements, digests } = createWriters(collections, { announcing })

const one = (n: number, changes: Partial<NewNotification> = {}) =>
  mention(n, { recipientIds: [recipientId], ...changes })
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

async function create(...notifications: readonly NewNotification[]): Promise<void> {
  const { created } = await insertNew(notifications)
  await created.settle([])
}

const numberOf = new Map(range(1, 100).map((n) => [mention(n).id, n]))

/** Reads those at the location of one that is due, and returns their numbers. */
async function readAt(due: NewNotification, examinedAtMost: number) {
  const { id, locationType } = due
  const keys = [toKey(subscriberId, recipientId, id)]
  const group = { subscriberId, recipientId, locationId: toUuidBinary(due.locationId), locationType, keys }
  const unread = await readUnreadAt(collections, group, examinedAtMost)
  return unread.keys.map((key) => numberOf.get(uuidIn(key, 2)))
}

test('reads all if the recipient or the location has few, otherwise the newest and those that are due', async () => {
  const elsewhere = range(70, 75).map((n) => one(n, { locationId: uuid(77) }))
  await create(...range(1, 60).map((n) => one(n)), one(61, { locationType: 'file' }), ...elsewhere)
  const feed = store.notifications.of({ subscriberId, recipientId })
  await feed.markRead(mention(59).id, at(100))
  const all = [60, ...range(1, 58).reverse()]
  // 66 are unread, and the location has 61 events.
  expect(await readAt(one(1), 66)).toEqual(all)
  expect(await readAt(one(1), 62)).toEqual(all)
  expect(await readAt(one(1), 30)).toEqual([60, ...range(32, 58).reverse(), 1])
  expect(await readAt(one(70, { locationId: uuid(77) }), 10)).toEqual(range(70, 75).reverse())
  await feed.markRead(mention(1).id, at(100))
  expect(await readAt(one(1), 30)).toEqual([60, ...range(32, 58).reverse()])
})

test('a digest examines a limited number of documents, however many are unread, and contains all of its location', async () => {
  await create(one(1), one(20_000))
  const others = range(2, usually(7_000, { inFullRuns: 15_000 })).map((n) => one(n, { locationId: uuid(77) }))
  await collections.notifications.insertMany(others.flatMap((other) => [...toNotificationDocuments(other)]))
  const figures = await examined('notifications', () => digests.writeNext(at(500), unreadAfterMs))
  const sum = figures.reduce((sofar, { keys, documents }) => sofar + keys + documents, 0)
  expect(sum).toBeLessThan(6_000)
  const [{ items } = { items: [] }] = await announcements.next(at(1_000))
  const [written, ...more] = items.flatMap((item) => item.announcements)
  expect(more).toEqual([])
  expect(written?.kind === 'unread' && JSON.parse(written.data)).toMatchObject({
    notificationIds: [mention(20_000).id, mention(1).id],
    total: 2,
    unreadCount: 2,
    latest: { id: mention(20_000).id },
  })
}, 60_000)
