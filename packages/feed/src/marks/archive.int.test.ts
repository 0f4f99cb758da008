import { usually } from '@herald/jest-preset/full-run'
import { toKey } from '@herald/mongo'
import { at, idAt, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { boxes } from '../documents/notification-document.ts'
import type { FeedQuery } from '../lists/list-page.ts'
import { newNotification as notificationOf, pageIn } from '../new-notification.fixture.ts'
import { createTestFeed } from '../test-feed.fixture.ts'

const { store, collections, subscriberId, examined, migrate, close } = createTestFeed({ profiled: true })
const newNotification = (id: string, changes: Parameters<typeof notificationOf>[1] = {}) =>
  notificationOf(id, { subscriberId, ...changes })
const feed = (recipientId: string) => store.notifications.of({ subscriberId, recipientId })
const page = (query: Partial<FeedQuery> = {}): FeedQuery => ({ limit: 20, status: 'all', ...query })
const list = async (owner: string, query: Partial<FeedQuery> = {}) =>
  pageIn(await feed(owner).list(page(query))).notifications.map(({ id }) => id)
const shown = (body: Buffer | null) => JSON.parse(String(body)).data
let owners = 1_000

/** Stores notifications for a new recipient, the first one the oldest. */
async function stored(count: number) {
  const n = owners++
  const owner = uuid(n)
  const ids = Array.from({ length: count }, (_, i) => idAt(i * 10, n))
  await store.notifications.insertNew(ids.map((id) => newNotification(id, { recipientIds: [owner] })))
  return { owner, ids: ids as [string, ...string[]], feed: feed(owner) }
}

beforeAll(migrate)
afterAll(close)

const [unreadAt, readAt, archivedAt] = ['2126-01-01T00:00:01Z', '2126-01-01T00:00:02Z', '2126-01-01T00:00:03Z']

test('archives an unread notification, which is read then, and a read one, which keeps its time', async () => {
  const { ids, feed } = await stored(2)
  await feed.markRead(ids[1] as string, at(2))
  expect(shown(await feed.archive(ids[0], at(3)))).toMatchObject({ readAt: archivedAt, archivedAt })
  expect(shown(await feed.archive(ids[1] as string, at(3)))).toMatchObject({ readAt, archivedAt })
  expect(shown(await feed.archive(ids[0], at(4)))).toMatchObject({ readAt: archivedAt, archivedAt })
  expect(shown(await feed.get(ids[0]))).toMatchObject({ archivedAt })
  expect(await feed.counts()).toEqual({ unreadCount: 0, unseenCount: 0, seenUpTo: null })
})

test('takes it out of the archive as read; marked unread, it leaves the archive, too', async () => {
  const { ids, feed } = await stored(1)
  await feed.archive(ids[0], at(2))
  const unarchived = shown(await feed.unarchive(ids[0], at(3)))
  expect(unarchived).toMatchObject({ readAt })
  expect(unarchived).not.toHaveProperty('archivedAt')
  expect(shown(await feed.unarchive(ids[0], at(4)))).toEqual(unarchived)
  await feed.archive(ids[0], at(3))
  const unread = shown(await feed.markUnread(ids[0], at(4)))
  expect(unread).toMatchObject({ readAt: null })
  expect(unread).not.toHaveProperty('archivedAt')
  expect(shown(await feed.unarchive(ids[0], at(5)))).toEqual(unread)
})

test('a list contains what archived and status select, nothing else', async () => {
  const { owner, ids, feed } = await stored(3)
  const [unread, read, archived] = ids as unknown as [string, string, string]
  await feed.markRead(read, at(1))
  await feed.archive(archived, at(1))
  const expected = {
    false: { all: [read, unread], unread: [unread], read: [read] },
    true: { all: [archived], unread: [], read: [archived] },
    any: { all: [archived, read, unread], unread: [unread], read: [archived, read] },
  } as const
  for (const archived of ['false', 'true', 'any'] as const)
    for (const status of ['all', 'unread', 'read'] as const)
      expect([archived, status, await list(owner, { archived, status })]).toEqual([
        archived,
        status,
        expected[archived][status],
      ])
})

const archivedCount = usually(3_000, { inFullRuns: 50_000 })

describe(`beside ${archivedCount} archived notifications`, () => {
  const owner = uuid(2)
  const empty = uuid(3)
  const kept = Array.from({ length: 30 }, (_, n) => idAt(n * 7_000_000, 5))
  beforeAll(async () => {
    const archived = Array.from({ length: archivedCount }, (_, n) => idAt((n * 50_000_000) / archivedCount))
    for (let from = 0; from < archived.length; from += 5_000)
      await store.notifications.insertNew(
        archived.slice(from, from + 5_000).map((id) => newNotification(id, { recipientIds: [owner, empty] })),
      )
    const update = { $set: { box: boxes.archived, readAt: at(1), archivedAt: at(1) } } as const
    const stored = { $gte: toKey(subscriberId, owner, uuid(0)), $lt: toKey(subscriberId, uuid(4), uuid(0)) }
    await collections.notifications.updateMany({ _id: stored }, update)
    await store.notifications.insertNew(kept.map((id) => newNotification(id, { recipientIds: [owner] })))
    for (const id of kept.slice(0, 10)) await feed(owner).markRead(id, at(2))
  }, 300_000)

  test('an empty inbox is a look at as many as a page has, and then, whatever is asked again, one at nothing', async () => {
    const first = await examined('notifications', () => feed(empty).list(page()))
    expect(first).toHaveLength(2)
    expect(first[0]?.documents).toBeLessThanOrEqual(22)
    expect(first[1]?.documents).toBe(0)
    for (const status of ['all', 'unread', 'read'] as const) {
      const lines = await examined('notifications', () => feed(empty).list(page({ status })))
      expect(lines).toHaveLength(1)
      expect([lines[0]?.keys, lines[0]?.documents]).toEqual([expect.any(Number), 0])
      expect(lines[0]?.keys).toBeLessThanOrEqual(2)
    }
  })

  test.each([
    { archived: 'false' },
    { archived: 'false', before: kept[25] as string },
    { archived: 'true' },
    { archived: 'true', before: idAt(25_000_000) },
    { archived: 'any' },
    { archived: 'any', status: 'read' },
    { status: 'read', limit: 5 },
    { status: 'unread', limit: 15 },
  ] as const)('%j examines the page and at most two more', async (query) => {
    const lines = await examined('notifications', () => feed(owner).list(page(query)))
    const limit = 'limit' in query ? query.limit : 20
    // By a process that has not met the archive, the inbox is looked at once more.
    const most = 'archived' in query && query.archived === 'false' ? 2 : 1
    expect(lines.length).toBeLessThanOrEqual(most)
    expect(lines[0]?.keys).toBeLessThanOrEqual(limit + 2)
    expect(lines[0]?.documents).toBeLessThanOrEqual(limit + 2)
    expect(lines[0]?.sorted).toBe(false)
  })

  test('pages follow each other without gaps or short ones', async () => {
    const seen: string[] = []
    for (let before: string | undefined; ; ) {
      const { notifications, next } = pageIn(await feed(owner).list(page({ limit: 7, before })))
      seen.push(...notifications.map(({ id }) => id))
      if (next === null) break
      expect(notifications).toHaveLength(7)
      before = next
    }
    expect(seen).toEqual(kept.toReversed())
  })
})

test('an inbox with nothing archived on top is read in order, without an index, also by a page further down', async () => {
  const { owner, ids, feed } = await stored(60)
  await feed.archive(ids[0], at(1))
  for (const before of [undefined, ids[39]]) {
    const lines = await examined('notifications', () => feed.list(page(before ? { before } : {})))
    expect(lines.map(({ keys }) => keys)).toEqual([0])
    expect(lines[0]?.documents).toBeLessThanOrEqual(22)
  }
  // The oldest one is archived: the last page has nothing behind it.
  expect(pageIn(await feed.list(page({ before: ids[21] as string })))).toMatchObject({ next: null })
  expect(await list(owner, { before: ids[21] as string })).toEqual(ids.slice(1, 21).toReversed())
})

describe('in bulk', () => {
  test('archives all that are stored, or some, and says how many', async () => {
    const { owner, ids, feed } = await stored(5)
    expect(await feed.markMany('archived', { ids: [ids[0], ids[1] as string, uuid(7)] }, at(1))).toBe(2)
    expect(await list(owner)).toEqual(ids.slice(2).toReversed())
    expect(await feed.markMany('archived', { all: true, upTo: ids[3] as string }, at(2))).toBe(2)
    expect(await feed.markMany('archived', { all: true }, at(3))).toBe(1)
    expect(await list(owner)).toEqual([])
    expect(await feed.markMany('unarchived', { all: true, upTo: ids[2] as string }, at(4))).toBe(3)
    expect(await list(owner, { status: 'read' })).toEqual(ids.slice(0, 3).toReversed())
  })

  test('of a location alone, and of all only the read ones', async () => {
    const { owner, ids, feed } = await stored(2)
    const elsewhere = idAt(5_001, owners)
    const place = { locationType: 'file', locationId: uuid(77) } as const
    await store.notifications.insertNew([newNotification(elsewhere, { recipientIds: [owner], ...place })])
    expect(await feed.markMany('read', { all: true, locationId: uuid(77), locationType: 'comment' }, at(1))).toBe(0)
    expect(await feed.markMany('read', { all: true, ...place }, at(1))).toBe(1)
    expect(await list(owner, { status: 'unread' })).toEqual(ids.toReversed())
    expect(await feed.markMany('archived', { all: true, status: 'read' }, at(2))).toBe(1)
    expect(await list(owner, { archived: 'true' })).toEqual([elsewhere])
    expect(await feed.markMany('archived', { all: true, locationType: 'comment' }, at(3))).toBe(2)
    expect(await feed.markMany('unarchived', { all: true, locationType: 'file' }, at(4))).toBe(1)
    expect(await list(owner)).toEqual([elsewhere])
  })

  const count = usually(2_500, { inFullRuns: 4_000 })
  const begun = async (owner: string) => {
    const where = { _id: { $gte: toKey(subscriberId, owner, uuid(0)) }, box: boxes.archived } as const
    while ((await collections.notifications.findOne(where)) === null) await new Promise(setImmediate)
  }

  test('what was marked unread, or taken out of the archive, after it was asked stays so, even if nothing changed', async () => {
    const { ids, feed } = await stored(count)
    const [unread, read] = [ids[count - 1] as string, ids[count - 2] as string]
    await feed.markRead(read, at(1))
    const archiving = feed.markMany('archived', { all: true }, at(2))
    await feed.markUnread(unread, at(3))
    await feed.unarchive(read, at(3))
    expect(await archiving).toBe(count - 2)
    expect(shown(await feed.get(unread))).not.toHaveProperty('archivedAt')
    expect(shown(await feed.get(read))).not.toHaveProperty('archivedAt')
  })

  test('read and archived at once: archived and read, whatever the order', async () => {
    const { owner, ids, feed } = await stored(count)
    const work = [
      feed.markMany('read', { all: true }, at(5)),
      feed.markMany('archived', { all: true }, at(6)),
      ...ids.slice(-50).flatMap((id) => [feed.markRead(id, at(7)), feed.archive(id, at(8))]),
    ]
    await Promise.all(work)
    const where = {
      _id: { $gte: toKey(subscriberId, owner, ids[0]), $lte: toKey(subscriberId, owner, ids.at(-1) ?? '') },
    }
    const all = await collections.notifications.find(where).toArray()
    expect(all).toHaveLength(count)
    expect(all.filter(({ box, readAt, archivedAt }) => box !== boxes.archived || !readAt || !archivedAt)).toEqual([])
    expect((await feed.counts()).unreadCount).toBe(0)
  })

  test('leaves alone what arrives meanwhile, even with an older time', async () => {
    const { owner, feed } = await stored(count)
    const archiving = feed.markMany('archived', { all: true }, at(2))
    await begun(owner)
    const late = idAt(5, 9_999)
    await store.notifications.insertNew([newNotification(late, { recipientIds: [owner] })])
    expect(await archiving).toBe(count)
    expect(await list(owner, { status: 'unread' })).toEqual([late])
  })
})

test('a read receipt changes nothing of an archived notification, an e-mail receipt reaches it', async () => {
  const { owner, ids, feed } = await stored(1)
  await feed.archive(ids[0], at(1))
  const receipt = (kind: 'read' | 'email-sent', n: number) =>
    store.receipts.apply(
      [{ subscriberId, recipientId: owner, notificationId: ids[0], kind, at: at(2), eventId: uuid(n), record: '' }],
      { now: at(3), group: 'test' },
    )
  await receipt('read', 60_001)
  await receipt('email-sent', 60_002)
  expect(shown(await feed.get(ids[0]))).toMatchObject({ readAt: unreadAt, archivedAt: unreadAt, emailSentAt: readAt })
})
