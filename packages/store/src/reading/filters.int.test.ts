import { limits } from '@herald/contracts'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { ChangeLogQuery } from '../change-entries/change-entries.ts'
import { changeEntry } from '../documents/change-entry.fixture.ts'
import type { FeedQuery } from '../feeds/list-page.ts'
import { createOwnStore, idAt, newNotification, pageIn, start, subscriberId, uuid } from '../store.fixture.ts'

const { store, database, name, examined, drop } = createOwnStore('filters')
const count = 100_000
const owner = { subscriberId, recipientId: uuid(2) }

/** One in 20,000 has the rare location, one in 100 the usual one. */
const locationOf = (n: number) => (n % 20_000 === 0 ? uuid(71) : n % 100 === 0 ? uuid(70) : uuid(79))

const notification = (n: number) => newNotification(idAt(n), { locationId: locationOf(n) })

const entry = (n: number) =>
  changeEntry({
    id: idAt(n),
    subscriberId: n % 10 === 0 ? uuid(9) : subscriberId,
    user: { id: n % 1_000 === 1 ? uuid(80) : uuid(81), name: 'Ada', email: 'ada@example.com' },
    entityId: n % 1_000 === 2 ? 'rare' : 'usual',
    actionType: n % 20_000 === 3 ? 'delete' : 'update',
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
  await store.migrate()
  const numbers = Array.from({ length: count }, (_, n) => n)
  await store.notifications.insertNew(numbers.map(notification))
  await store.changeEntries.insertNew(numbers.map(entry))
}, 300_000)

afterAll(drop)

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
  expect(found).toEqual([80_000, 60_000, 40_000, 20_000, 0].map((n) => idAt(n)))
  expect(requests).toBeLessThanOrEqual(11)
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
  await database.command({ profile: 2 })
  unread = (await store.notifications.of(owner).counts()).unreadCount
  await database.command({ profile: 0 })
  expect(unread).toBe(count)
  const line = await database
    .collection('system.profile')
    .findOne({ ns: `${name}.notifications`, 'command.count': { $exists: true } })
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
  expect(await exportIds({ actionType: 'delete' })).toEqual([80_003, 60_003, 40_003, 20_003, 3].map((n) => idAt(n)))
  expect(await exportIds({ entityId: 'rare', userId: uuid(80) })).toEqual([])
  expect(await exportIds({})).toHaveLength(count * 0.9)
})
