import { randomUUID } from 'node:crypto'
import type { ChangeLogQuery } from '@herald/change-log'
import { changeEntry } from '@herald/change-log/testing'
import { limits } from '@herald/contracts'
import type { FeedQuery } from '@herald/feed'
import { newNotification, pageIn } from '@herald/feed/testing'
import { usually } from '@herald/jest-preset/full-run'
import { idAt, start, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestStore } from '../test-store.fixture.ts'

const { store, subscriberId, profile, examined, migrate, close } = createTestStore({ profiled: true })
const elsewhere = randomUUID()
const count = usually(25_000, { inFullRuns: 100_000 })
const rare = count / 5
const owner = { subscriberId, recipientId: uuid(2) }

/** Five have the rare location, one in 100 the usual one. */
const locationOf = (n: number) => (n % rare === 0 ? uuid(71) : n % 100 === 0 ? uuid(70) : uuid(79))

const notification = (n: number) => newNotification(idAt(n), { subscriberId, locationId: locationOf(n) })

const entry = (n: number) =>
  changeEntry({
    id: idAt(n),
    subscriberId: n % 10 === 0 ? elsewhere : subscriberId,
    user: { id: n % 1_000 === 1 ? uuid(80) : uuid(81), name: 'Ada', email: 'ada@example.com' },
    entityId: n % 1_000 === 2 ? 'rare' : 'usual',
    actionType: n % rare === 3 ? 'delete' : 'update',
    createdAt: new Date(start + n),
  })

/** The number of keys or documents that each query of `work` examined. */
async function costs(collection: string, work: () => Promise<unknown>): Promise<number[]> {
  const lines = await examined(collection, work)
  expect(lines.some(({ sorted }) => sorted)).toBe(false)
  return lines.map(({ keys, documents }) => Math.max(keys, documents))
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
const page = (query: Partial<FeedQuery> = {}): FeedQuery => ({ limit: 20, status: 'all', ...query })

beforeAll(async () => {
  await migrate()
  const numbers = Array.from({ length: count }, (_, n) => n)
  await store.notifications.insertNew(numbers.map(notification))
  await store.changeEntries.insertNew(numbers.map(entry))
}, 300_000)

afterAll(close)

test('a filter without an index finds every match, page by page, and examines 10,000 documents per request', async () => {
  const feed = store.notifications.of(owner)
  const found: string[] = []
  let before: string | undefined
  let requests = 0
  do {
    let next: string | null = null
    const examinedCounts = await costs('notifications', async () => {
      const result = pageIn(await feed.list(page({ locationId: uuid(71), before })))
      found.push(...result.notifications.map(({ id }) => id))
      next = result.next
    })
    expect(sum(examinedCounts)).toBeLessThanOrEqual(limits.examinedPerRequest + examinedCounts.length)
    before = next ?? undefined
    requests++
  } while (before !== undefined)
  expect(found).toEqual([4, 3, 2, 1, 0].map((n) => idAt(n * rare)))
  expect(requests).toBeLessThanOrEqual(count / limits.examinedPerRequest + 1)
})

test('a filter stops as soon as the page is full', async () => {
  const examinedCounts = await costs('notifications', () =>
    store.notifications.of(owner).list(page({ locationId: uuid(70) })),
  )
  expect(sum(examinedCounts)).toBeLessThanOrEqual(3_010)
})

test('combines filters, and a time range reduces the examined documents', async () => {
  const query = page({ locationId: uuid(70), subjectId: uuid(91), createdFrom: start + 500, createdTo: start + 1_000 })
  let found: string[] = []
  const examinedCounts = await costs('notifications', async () => {
    found = pageIn(await store.notifications.of(owner).list(query)).notifications.map(({ id }) => id)
  })
  expect(found).toEqual([900, 800, 700, 600, 500].map((n) => idAt(n)))
  expect(sum(examinedCounts)).toBeLessThanOrEqual(502)
})

test('counts the unread without reading documents', async () => {
  let unread = 0
  const lines = await profile('notifications', async () => {
    unread = (await store.notifications.of(owner).counts()).unreadCount
  })
  expect(unread).toBe(count)
  const line = lines.find(({ command }) => command.count !== undefined)
  expect(line).toMatchObject({ planSummary: expect.stringContaining('COUNT_SCAN'), docsExamined: 0 })
})

test.each([
  ['an entity', { entityId: 'rare' }],
  ['a user', { userId: uuid(80) }],
  ['no filter', {}],
])('a page of the change log of %s examines the page and at most two more', async (_, query) => {
  const examinedCounts = await costs('change-entries', async () => {
    const { changeEntries, nextCursor } = JSON.parse(
      String(await store.changeEntries.of(subscriberId).list(query, 20)),
    ).data
    expect(changeEntries).toHaveLength(20)
    expect(nextCursor).toBe(changeEntries[19].id)
  })
  expect(examinedCounts).toHaveLength(1)
  expect(examinedCounts[0]).toBeLessThanOrEqual(22)
})

test('the filtered change log yields every match, and none of another subscriber', async () => {
  const exportIds = async (query: ChangeLogQuery) => {
    const pieces: Buffer[] = []
    for await (const piece of store.changeEntries.of(subscriberId).export(query, 'json')) pieces.push(piece)
    return JSON.parse(Buffer.concat(pieces).toString()).data.map(({ id }: { id: string }) => id)
  }
  expect(await exportIds({ actionType: 'delete' })).toEqual([4, 3, 2, 1, 0].map((n) => idAt(n * rare + 3)))
  expect(await exportIds({ entityId: 'rare', userId: uuid(80) })).toEqual([])
  expect(await exportIds({})).toHaveLength(count * 0.9)
})
