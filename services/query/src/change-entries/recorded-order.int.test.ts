import { randomUUID } from 'node:crypto'
import type { StoredChangeEntry } from '@herald/change-log'
import { makeUuidV7, timeOfUuidV7 } from '@herald/contracts'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { createTestQuery, type User } from '../query.fixture.ts'

const query = await createTestQuery('recorded-order', { RETENTION_DAYS: '30' })
const scope = 'change-entries:read'
const now = Date.now()
let reader: User
let isStopped = false
let sequencing = Promise.resolve()

beforeAll(async () => {
  await query.store.migrate()
  reader = await query.newUser({ scope })
})
afterAll(async () => {
  isStopped = true
  await sequencing
  await query.stop()
})

let created = 0
const entry = (changes: Partial<StoredChangeEntry> = {}, at = now + ++created): StoredChangeEntry => {
  const id = makeUuidV7(at, Buffer.from(randomUUID()))
  return {
    id,
    subscriberId: reader.subscriberId,
    createdAt: new Date(timeOfUuidV7(id) ?? 0),
    user: { id: randomUUID(), name: 'Ada', email: 'ada@example.com' },
    entityType: 'portfolio',
    entityId: 'p-1',
    entityTitle: 'Engines',
    actionType: 'update',
    changedField: 'name',
    beforeState: 'null',
    afterState: '{"a":1}',
    ...changes,
  }
}
const idsOf = (entries: readonly { id: string }[]) => entries.map(({ id }) => id)

async function page(parameters: string, user = reader) {
  const { status, json } = await user.get(`/change-entries?order=recorded${parameters}`)
  if (status !== 200) throw new Error(JSON.stringify(json))
  return json.data as { changeEntries: { id: string }[]; nextCursor: string; lagSeconds: number; hasMore: boolean }
}

/** Follows from a cursor until there is nothing new. */
async function follow(cursor?: string, parameters = '') {
  const ids: string[] = []
  for (let next = cursor; ; ) {
    const { changeEntries, nextCursor } = await page(`${parameters}${next === undefined ? '' : `&cursor=${next}`}`)
    ids.push(...idsOf(changeEntries))
    if (nextCursor === next) return { ids, cursor: nextCursor }
    next = nextCursor
  }
}

/** Follows until so many entries have come. */
async function followUntil(count: number, cursor?: string, parameters = '') {
  const ids: string[] = []
  for (let next = cursor; ; ) {
    const followed = await follow(next, parameters)
    ids.push(...followed.ids)
    next = followed.cursor
    if (ids.length >= count) return { ids, cursor: next }
  }
}

test('is not ready before a sequencer has run', async () => {
  const { status, json, headers } = await reader.get('/change-entries?order=recorded')
  expect([status, json.code, headers['retry-after']]).toEqual([503, 'order_not_ready', '5'])
  sequencing = (async () => {
    while (!isStopped)
      await query.store.sequencer.work(
        async () => !isStopped,
        () => {},
      )
  })()
  for (;;) if ((await reader.get('/change-entries?order=recorded')).status === 200) return
})

test('an empty log has a cursor, which stays the same until something is recorded', async () => {
  const empty = await page('')
  const cursor = expect.any(String)
  expect(empty).toEqual({ changeEntries: [], nextCursor: cursor, lagSeconds: expect.any(Number), hasMore: false })
  expect((await page(`&cursor=${empty.nextCursor}`)).nextCursor).toBe(empty.nextCursor)
  const entries = [entry(), entry(), entry()]
  await query.store.changeEntries.insertNew(entries)
  const { ids } = await followUntil(3, empty.nextCursor)
  expect(ids).toEqual(idsOf(entries))
  const { json } = await reader.get('/change-entries?limit=3')
  const shown = (await page('')).changeEntries
  expect(shown).toEqual(json.data.changeEntries.toReversed())
})

test('a loader that stops at the first page without more has everything, however rare what it looks for is', async () => {
  const { cursor } = await follow()
  const entries = Array.from({ length: 25 }, (_, n) => entry({ entityId: n % 20 === 4 ? 'wanted' : 'other' }))
  await query.store.changeEntries.insertNew(entries)
  await followUntil(25, cursor)
  for (const [parameters, wanted] of [
    ['&limit=10', entries],
    ['&limit=1&entityId=wanted', entries.filter(({ entityId }) => entityId === 'wanted')],
    ['&limit=25', entries],
    ['&limit=100&entityId=none', []],
  ] as const) {
    const ids: string[] = []
    let [next, hasMore, pages] = [cursor, true, 0]
    while (hasMore) {
      const read = await page(`${parameters}&cursor=${next}`)
      ids.push(...idsOf(read.changeEntries))
      next = read.nextCursor
      hasMore = read.hasMore
      pages += 1
      expect(pages).toBeLessThan(20)
    }
    expect([parameters, ids]).toEqual([parameters, idsOf(wanted)])
    expect(await page(`${parameters}&cursor=${next}`)).toMatchObject({
      changeEntries: [],
      nextCursor: next,
      hasMore: false,
    })
  }
})

test('late entries come behind what was returned', async () => {
  const { cursor } = await follow()
  const late = entry({}, now - 3_600_000)
  await query.store.changeEntries.insertNew([late])
  const followed = await followUntil(1, cursor)
  expect(followed.ids).toEqual([late.id])
})

test('pages have the limit, and filters select within the order', async () => {
  const { cursor } = await follow()
  const entries = Array.from({ length: 230 }, (_, n) => entry({ entityId: n % 50 === 7 ? 'rare' : 'often' }))
  await query.store.changeEntries.insertNew(entries)
  expect((await followUntil(230, cursor, '&limit=100')).ids).toEqual(idsOf(entries))
  const rare = entries.filter(({ entityId }) => entityId === 'rare')
  expect((await followUntil(rare.length, cursor, '&limit=2&entityId=rare')).ids).toEqual(idsOf(rare))
  const { user, createdAt } = rare[2] as StoredChangeEntry
  expect((await follow(cursor, `&userId=${user.id}&entityType=portfolio`)).ids).toEqual([rare[2]?.id])
  const window = `&createdFrom=${createdAt.toISOString()}&createdTo=${new Date(createdAt.getTime() + 1).toISOString()}`
  expect((await follow(cursor, window)).ids).toEqual([rare[2]?.id])
  const none = await page(`&cursor=${cursor}&entityId=none`)
  expect([none.changeEntries, none.nextCursor === cursor]).toEqual([[], false])
})

test('a page ends early when its entries are large', async () => {
  const { cursor } = await follow()
  const large = { afterState: JSON.stringify('x'.repeat(900_000)) }
  const entries = Array.from({ length: 11 }, () => entry(large))
  await query.store.changeEntries.insertNew(entries)
  await followUntil(11, cursor)
  expect((await page(`&limit=100&cursor=${cursor}`)).changeEntries).toHaveLength(4)
  expect((await follow(cursor, '&limit=100')).ids).toEqual(idsOf(entries))
  expect((await follow(cursor, '&limit=100&entityId=p-1')).ids).toEqual(idsOf(entries))
})

test('cursors of other logs, of the other order, and texts that are none are rejected', async () => {
  const stranger = await query.newUser({ scope })
  const { cursor } = await follow()
  const pointersOf = async (parameters: string, user = reader) => {
    const { status, json } = await user.get(`/change-entries?${parameters}`)
    return [status, json.code, json.errors?.map(({ pointer }: { pointer: string }) => pointer)]
  }
  const rejected = [400, 'validation_failed', ['/cursor']]
  expect(await pointersOf(`order=recorded&cursor=${cursor}`, stranger)).toEqual(rejected)
  expect(await pointersOf(`order=recorded&cursor=${randomUUID()}`)).toEqual(rejected)
  expect(await pointersOf('order=recorded&cursor=x')).toEqual(rejected)
  expect(await pointersOf(`cursor=${cursor}`)).toEqual(rejected)
  expect(await pointersOf(`order=created&cursor=${cursor}&limit=0`)).toEqual([
    400,
    'validation_failed',
    ['/limit', '/cursor'],
  ])
  expect(await pointersOf('order=other')).toEqual([400, 'validation_failed', ['/order']])
})

test('a cursor whose next page was recorded before the retention has expired, and a new follower begins behind it', async () => {
  const { cursor: start } = await page('').then(({ nextCursor }) => ({ cursor: nextCursor }))
  const { cursor } = await follow()
  const client = new MongoClient(process.env.MONGODB_URI ?? '')
  const pages = client.db(query.database).collection('log-pages')
  const old = new Date(Date.now() - 31 * 86_400_000)
  await pages.updateMany({}, { $set: { recordedAt: old } })
  await client.close()
  expect((await page(`&cursor=${cursor}`)).nextCursor).toBe(cursor)
  const { status, json } = await reader.get(`/change-entries?order=recorded&cursor=${start}`)
  expect([status, json.code]).toEqual([410, 'cursor_expired'])
  expect((await page('')).nextCursor).toBe(cursor)
  const recent = entry()
  await query.store.changeEntries.insertNew([recent])
  expect((await followUntil(1, cursor)).ids).toEqual([recent.id])
  expect((await follow()).ids).toEqual([recent.id])
})
