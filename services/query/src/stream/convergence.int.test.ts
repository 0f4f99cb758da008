import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { notificationAt } from '../query.fixture.ts'
import { createStreamTest, openStream, type StartedQuery, type StreamTest } from './stream.fixture.ts'

let world: StreamTest
let query: StartedQuery

beforeAll(async () => {
  world = await createStreamTest('convergence')
  query = await world.start({ bulkMarkHeldMs: 300 })
})
afterAll(() => world?.end())

/** A user with so many unread notifications, who follows the stream. */
async function follow(count: number) {
  const user = { id: randomUUID(), subscriberId: randomUUID() }
  const feed = world.store.notifications.of({ subscriberId: user.subscriberId, recipientId: user.id })
  const stored = Array.from({ length: count }, (_, n) => notificationAt(Date.now() - count + n, user))
  await world.store.notifications.insertNew(stored)
  const stream = await openStream(query.url, await world.token(user))
  await stream.until('heartbeat')
  const list = async () => {
    const { notifications } = await feed.list({ limit: 5_000, status: 'all' })
    return new Map(notifications.map(({ id, readAt }) => [id, readAt !== null]))
  }
  const isRead = await list()
  let applied = 0
  /** What a client has that applies every event, and lists again where none are named. */
  const seen = async () => {
    const events = stream.named('read-state')
    for (; applied < events.length; applied++) {
      const { ids, readAt } = JSON.parse(events[applied]?.data ?? '')
      for (const id of ids ?? []) isRead.set(id, readAt !== null)
      if (ids === undefined) for (const [id, state] of await list()) isRead.set(id, state)
    }
    return isRead
  }
  return { feed, stream, list, seen, ids: stored.map(({ id }) => id) }
}

const unreadIn = (isRead: ReadonlyMap<string, boolean>) => [...isRead].filter(([, read]) => !read).map(([id]) => id)

async function untilEqual({ list, seen }: Awaited<ReturnType<typeof follow>>): Promise<void> {
  const stored = unreadIn(await list())
  const deadline = Date.now() + 10_000
  while (Date.now() < deadline && unreadIn(await seen()).join() !== stored.join()) await wait(20)
  expect(unreadIn(await seen())).toEqual(stored)
}

test('a mark-unread while a bulk mark runs: the stream ends with the state that is stored', async () => {
  const follower = await follow(100)
  const { feed, ids } = follower
  const [id = ''] = ids
  for (let round = 0; round < 30; round++) {
    const marking = feed.markManyRead({ ids }, new Date())
    while ((await feed.get(id))?.readAt === null) await nextTurn()
    await feed.markUnread(id, new Date())
    await marking
    const before = follower.stream.named('read-state').length
    // One event more says that everything before it has been told.
    await feed.markUnread(ids[1] ?? '', new Date())
    await follower.stream.until('read-state', before + 1)
    await untilEqual(follower)
  }
  await follower.stream.close()
}, 60_000)

test.each([100, 2_500])('a bulk mark of %s that is killed before its end is told as far as it went', async (count) => {
  const follower = await follow(count)
  const bulkMarks = world.client.db(world.database)
  await bulkMarks.command({ collMod: 'bulk-marks', validator: { never: true } })
  await expect(follower.feed.markManyRead({ all: true }, new Date())).rejects.toThrow()
  await bulkMarks.command({ collMod: 'bulk-marks', validator: {} })
  expect(unreadIn(await follower.list())).toEqual([])
  await untilEqual(follower)
  await follower.stream.close()
})

test('a bulk mark is one event, which names up to 1,000', async () => {
  const few = await follow(1_000)
  await few.feed.markManyRead({ all: true }, new Date())
  await few.stream.until('read-state')
  expect(JSON.parse(few.stream.named('read-state')[0]?.data ?? '').ids).toHaveLength(1_000)
  const many = await follow(3_000)
  await many.feed.markManyRead({ all: true, upTo: many.ids[2_000] }, new Date())
  await many.stream.until('read-state')
  expect(JSON.parse(many.stream.named('read-state')[0]?.data ?? '')).toMatchObject({ all: true, upTo: many.ids[2_000] })
  await wait(500)
  expect([few, many].map(({ stream }) => stream.named('read-state').length)).toEqual([1, 1])
  for (const { stream } of [few, many]) await stream.close()
})
