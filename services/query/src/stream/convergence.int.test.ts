import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { notificationAt, pageIn } from '../query.fixture.ts'
import { createStreamTest, openStream, type StartedQuery, type StreamTest } from './stream.fixture.ts'

let world: StreamTest
let query: StartedQuery

beforeAll(async () => {
  world = await createStreamTest('convergence')
  query = await world.start({ bulkMarkHeldMs: 300 })
})
afterAll(() => world?.end())

/** A user with this many unread notifications, who follows the stream. */
async function follow(count: number, service = query) {
  const user = { id: randomUUID(), subscriberId: randomUUID() }
  const feed = world.store.notifications.of({ subscriberId: user.subscriberId, recipientId: user.id })
  const stored = Array.from({ length: count }, (_, n) => notificationAt(Date.now() - count + n, user))
  await world.store.notifications.insertNew(stored)
  const stream = await openStream(service.url, await world.token(user))
  await stream.until('heartbeat')
  const list = async () => {
    const { notifications } = pageIn(await feed.list({ limit: 5_000, status: 'all' }))
    return new Map(notifications.map(({ id, readAt }) => [id, readAt !== null]))
  }
  const isRead = await list()
  let applied = 0
  /** The state of a client that applies every event, and lists again where no ids are named. */
  const seen = async () => {
    const events = stream.named('read-state')
    for (; applied < events.length; applied++) {
      const { ids, readAt } = JSON.parse(events[applied]?.data ?? '')
      for (const id of ids ?? []) isRead.set(id, readAt !== null)
      if (ids === undefined) for (const [id, state] of await list()) isRead.set(id, state)
    }
    return isRead
  }
  return { user, feed, stream, list, seen, ids: stored.map(({ id }) => id) }
}

const unreadIn = (isRead: ReadonlyMap<string, boolean>) => [...isRead].filter(([, read]) => !read).map(([id]) => id)

async function untilEqual({ list, seen }: Awaited<ReturnType<typeof follow>>): Promise<void> {
  const stored = unreadIn(await list())
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline && unreadIn(await seen()).join() !== stored.join()) await wait(20)
  // Late events must not change it again.
  await wait(100)
  expect(unreadIn(await seen())).toEqual(stored)
}

test('a mark-unread during a bulk mark: the stream ends with the stored state', async () => {
  const follower = await follow(8)
  const { feed, ids, stream } = follower
  const [id = ''] = ids
  // Each with another version, so that the bulk mark needs eight updates, one after another.
  for (const [n, one] of ids.entries()) {
    for (let times = 0; times < n; times++) {
      await feed.markRead(one, new Date())
      await feed.markUnread(one, new Date())
    }
  }
  for (let round = 0; round < 10; round++) {
    const marking = feed.markMany('read', { ids }, new Date())
    while (JSON.parse(String(await feed.get(id))).data.readAt === null) await nextTurn()
    await feed.markUnread(id, new Date())
    await marking
    await untilEqual(follower)
    // One more event shows that all earlier ones have been sent.
    const receivedBefore = stream.named('read-state').length
    await feed.markUnread(ids[1] ?? '', new Date())
    await stream.until('read-state', receivedBefore + 1)
    await untilEqual(follower)
    for (const one of ids) await feed.markUnread(one, new Date())
    await untilEqual(follower)
  }
  await stream.close()
}, 300_000)

test.each([100, 2_500])('a bulk mark of %s that fails before its end is sent as far as it went', async (count) => {
  const follower = await follow(count)
  const bulkMarks = world.client.db(world.database)
  await bulkMarks.command({ collMod: 'bulk-marks', validator: { end: { $exists: false } } })
  await expect(follower.feed.markMany('read', { all: true }, new Date())).rejects.toThrow()
  await bulkMarks.command({ collMod: 'bulk-marks', validator: {} })
  expect(unreadIn(await follower.list())).toEqual([])
  await untilEqual(follower)
  await follower.stream.close()
})

test('a bulk mark is one event with up to 1,000 ids', async () => {
  const patient = await world.start({ bulkMarkHeldMs: 20_000 })
  const few = await follow(1_000, patient)
  await few.feed.markMany('read', { all: true }, new Date())
  await few.stream.until('read-state')
  expect(JSON.parse(few.stream.named('read-state')[0]?.data ?? '').ids).toHaveLength(1_000)
  const many = await follow(3_000, patient)
  await many.feed.markMany('read', { all: true, upTo: many.ids[2_000] }, new Date())
  await many.stream.until('read-state')
  expect(JSON.parse(many.stream.named('read-state')[0]?.data ?? '')).toMatchObject({ all: true, upTo: many.ids[2_000] })
  await wait(500)
  expect([few, many].map(({ stream }) => stream.named('read-state').length)).toEqual([1, 1])
  for (const { stream } of [few, many]) await stream.close()
})

test('a bulk mark is one event, whatever arrives meanwhile', async () => {
  const patient = await world.start({ bulkMarkHeldMs: 20_000 })
  const { user, feed, ids, stream } = await follow(5_000, patient)
  const archiving = feed.markMany('archived', { all: true }, new Date())
  for (const left of [4_000, 3_000, 2_000]) {
    while ((await feed.counts()).unreadCount > left + 10) await nextTurn()
    await world.store.notifications.insertNew([notificationAt(Date.now(), user)])
  }
  await archiving
  await feed.markUnread(ids[0] ?? '', new Date())
  await stream.until('read-state')
  expect(stream.named('archive-state').map(({ data }) => JSON.parse(data))).toEqual([
    { all: true, upTo: ids.at(-1), archivedAt: expect.any(String) },
  ])
  expect(stream.notificationIds()).toHaveLength(3)
  await stream.close()
}, 300_000)

test('a bulk mark up to one of them includes nothing that arrives meanwhile', async () => {
  const { user, feed, ids, stream } = await follow(4_900)
  const upTo = ids[3_899] ?? ''
  const marking = feed.markMany('read', { all: true, upTo }, new Date())
  // Later than the 1,000 that one event names, and before the end.
  while ((await feed.counts()).unreadCount > 3_500) await nextTurn()
  await world.store.notifications.insertNew([notificationAt(Date.now(), user)])
  await marking
  await feed.markUnread(upTo, new Date())
  const isLast = ({ data }: { data: string }) => JSON.parse(data).readAt === null
  while (!stream.named('read-state').some(isLast))
    await stream.until('read-state', stream.named('read-state').length + 1)
  /** The state of a client that takes every event at its word. */
  const isRead = new Map(ids.map((id) => [id, false]))
  for (const { event, data } of stream.events) {
    const given = JSON.parse(data)
    if (event === 'notification') isRead.set(given.id, false)
    if (event !== 'read-state') continue
    const named = given.ids ?? [...isRead.keys()].filter((id) => given.upTo === null || id <= given.upTo)
    for (const id of named) isRead.set(id, given.readAt !== null)
  }
  const { notifications: unread } = pageIn(await feed.list({ limit: 5_000, status: 'unread' }))
  expect(unreadIn(isRead).sort()).toEqual(unread.map(({ id }) => id).sort())
  await stream.close()
}, 300_000)
