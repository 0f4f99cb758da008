import { formatTimestamp, timeOfUuidV7 } from '@herald/contracts'
import { eachAtOnce } from '@herald/mongo'
import { idAt, start, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { NewNotification } from './documents/notification-document.ts'
import type { FeedQuery } from './lists/list-page.ts'
import { newNotification, notificationIn, pageIn } from './new-notification.fixture.ts'
import { createTestFeed } from './test-feed.fixture.ts'

const { store, subscriberId, examined, migrate, close } = createTestFeed({ profiled: true })
const notification = (ms: number, changes: Partial<NewNotification> = {}) =>
  newNotification(idAt(ms), { subscriberId, ...changes })

const feed = (recipientId: string) => store.notifications.of({ subscriberId, recipientId })
const page = (query: Partial<FeedQuery> = {}): FeedQuery => ({ limit: 20, status: 'all', ...query })
const list = async (recipientId: string, query: Partial<FeedQuery>) => pageIn(await feed(recipientId).list(page(query)))

beforeAll(async () => {
  await migrate()
  // A feed of 3,000, every third of them read, next to another feed of 3,000.
  const many = Array.from({ length: 3_000 }, (_, n) =>
    notification(n * 10, { id: idAt(n * 10, n), recipientIds: [uuid(50), uuid(51)] }),
  )
  await store.notifications.insertNew(many)
  const read = many.filter((_, n) => n % 3 === 0)
  await eachAtOnce(read, 50, ({ id }) => feed(uuid(50)).markRead(id, new Date(start + 1_000_000)))
}, 300_000)

afterAll(close)

test('returns a notification unchanged to each recipient, and only to them', async () => {
  const given = notification(0, { id: idAt(0, 7), recipientIds: [uuid(3), uuid(4)] })
  expect(await store.notifications.insertNew([given])).toMatchObject({ inserted: 2, refused: [] })
  const { recipientIds, createdAt, metadata, ...content } = given
  for (const recipient of recipientIds) {
    expect(notificationIn(await feed(recipient).get(given.id))).toMatchObject({
      ...content,
      metadata: JSON.parse(metadata),
      createdAt: formatTimestamp(createdAt),
      readAt: null,
      emailSentAt: null,
    })
  }
  expect(await feed(uuid(5)).get(given.id)).toBeNull()
  expect(await store.notifications.of({ subscriberId: uuid(6), recipientId: uuid(3) }).get(given.id)).toBeNull()
})

test('marks change one recipient, keep the first time, and survive a replay of the event', async () => {
  const given = notification(0, { id: idAt(0, 8), recipientIds: [uuid(7), uuid(8)] })
  await store.notifications.insertNew([given])
  const [first, second] = [new Date(start + 1_000), new Date(start + 2_000)]
  expect(notificationIn(await feed(uuid(7)).markRead(given.id, first))?.readAt).toEqual(first)
  expect(notificationIn(await feed(uuid(7)).markRead(given.id, second))?.readAt).toEqual(first)
  await store.notifications.insertNew([given])
  expect(notificationIn(await feed(uuid(7)).get(given.id))?.readAt).toEqual(first)
  expect(notificationIn(await feed(uuid(8)).get(given.id))?.readAt).toBeNull()
  expect(notificationIn(await feed(uuid(7)).markUnread(given.id, second))?.readAt).toBeNull()
  expect(notificationIn(await feed(uuid(7)).markUnread(given.id, second))?.readAt).toBeNull()
  expect(await feed(uuid(9)).markRead(given.id, first)).toBeNull()
})

test('pages are consecutive, newest first, without duplicates or gaps', async () => {
  const seen: string[] = []
  let before: string | undefined
  do {
    const { notifications, next } = await list(uuid(51), { limit: 100, before })
    seen.push(...notifications.map(({ id }) => id))
    before = next ?? undefined
  } while (before !== undefined)
  expect(seen).toHaveLength(3_000)
  expect(seen).toEqual([...new Set(seen)].sort().reverse())
})

test('the last page has no next one, even if it is full', async () => {
  const owner = uuid(60)
  await store.notifications.insertNew([1, 2].map((n) => notification(n, { recipientIds: [owner] })))
  expect((await list(owner, { limit: 2 })).next).toBeNull()
  expect((await list(owner, { limit: 1 })).next).toBe(idAt(2))
})

test.each([
  ['unread', 2_000],
  ['read', 1_000],
] as const)('status %s finds every matching notification', async (status, count) => {
  let found = 0
  let before: string | undefined
  do {
    const { notifications, next } = await list(uuid(50), { limit: 100, status, before })
    expect(notifications.every(({ readAt }) => (readAt === null) === (status === 'unread'))).toBe(true)
    found += notifications.length
    before = next ?? undefined
  } while (before !== undefined)
  expect(found).toBe(count)
})

test('createdFrom is inclusive, createdTo exclusive, in milliseconds', async () => {
  const { notifications } = await list(uuid(51), { createdFrom: start + 10, createdTo: start + 30 })
  expect(notifications.map(({ id }) => (timeOfUuidV7(id) ?? 0) - start)).toEqual([20, 10])
})

test.each([
  ['the first page', page()],
  ['a later page', page({ before: idAt(15_000) })],
  ['a time range', page({ createdFrom: start + 5_000, createdTo: start + 25_000 })],
  ['the unread', page({ status: 'unread' })],
  ['the unread, later', page({ status: 'unread', before: idAt(15_000) })],
])('%s examines the page and at most two more', async (_, query) => {
  const lines = await examined('notifications', () => feed(uuid(50)).list(query))
  expect(lines).toHaveLength(1)
  expect(lines[0]?.keys).toBeLessThanOrEqual(22)
  expect(lines[0]?.documents).toBeLessThanOrEqual(22)
  expect(lines[0]?.documents).toBeGreaterThanOrEqual(21)
  expect(lines[0]?.sorted).toBe(false)
})

test('getting and marking a notification each examine one document', async () => {
  const id = idAt(20_000, 2_000)
  const lines = await examined('notifications', async () => {
    await feed(uuid(50)).get(id)
    await feed(uuid(50)).markRead(id, new Date())
  })
  expect(lines).toHaveLength(2)
  expect(Math.max(...lines.map(({ keys, documents }) => Math.max(keys, documents)))).toBe(1)
})
