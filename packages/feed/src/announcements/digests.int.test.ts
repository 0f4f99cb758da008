import { usually } from '@herald/jest-preset/full-run'
import { type MonotonicClock, StorageUnavailableError, toKey } from '@herald/mongo'
import { at, createInterceptor, createTestClock, type Intercept, subscriberId, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { NewNotification } from '../documents/notification-document.ts'
import { mention, retraction, withoutErasures } from '../retractions/fan-outs.fixture.ts'
import { createEmptyFeed, createWriters } from '../test-feed.fixture.ts'

const { store, database, collections, examined, migrate, close } = createEmptyFeed()
beforeAll(migrate)
afterAll(close)
beforeEach(async () => {
  for (const name of ['notifications', 'fan-outs', 'tombstones', 'digests'])
    await database.collection(name).deleteMany({})
})

const unreadAfterMs = 60_000
const announcing = { isRecent: () => true, onTooOld: () => {}, now: () => at(0), unreadAfterMs }

function startProcess(intercept?: Intercept, clock?: MonotonicClock) {
  const { wrap, operations } = createInterceptor(intercept)
  const options = { announcing, clock }
  return { ...createWriters(wrap(collections, [...withoutErasures, 'digests']), options), operations }
}

const { insertNew, retractions, announcements, digests } = startProcess()

/** Stores notifications whose creation is announced. */
async function create(...notifications: readonly NewNotification[]): Promise<void> {
  const { created } = await insertNew(notifications)
  await created.settle([])
}

async function writeAll(seconds: number, process = { digests }): Promise<void> {
  while ((await process.digests.writeNext(at(seconds), unreadAfterMs)) > 0);
}

type Data = {
  recipientId: string
  notificationIds: string[]
  total: number
  unreadCount: number
  latest: { id: string }
}

/** The unread announcements that are due now, in the order of the recipients. */
async function publishAll() {
  const found: { time: Date; newestId: string; data: Data }[] = []
  for (;;) {
    const batches = await announcements.next(at(1_000_000))
    if (batches.length === 0) break
    for (const { items, settle } of batches) {
      for (const one of items.flatMap((item) => item.announcements)) {
        if (one.kind === 'unread') found.push({ time: one.time, newestId: one.newestId, data: JSON.parse(one.data) })
      }
      await settle(items)
    }
  }
  return found.toSorted((a, b) => (a.data.recipientId < b.data.recipientId ? -1 : 1))
}

const feedOf = (recipientId: string) => store.notifications.of({ subscriberId, recipientId })
const one = (n: number, changes: Partial<NewNotification> = {}) => mention(n, { recipientIds: [uuid(2)], ...changes })
const id = (n: number) => mention(n).id
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

test('announces per recipient and location what is unread when the oldest is due, once', async () => {
  const elsewhere = { locationId: uuid(77) }
  await create(mention(1), one(2), one(3, elsewhere), one(50))
  await writeAll(60)
  expect(await publishAll()).toEqual([])
  await writeAll(61)
  const published = await publishAll()
  expect(published).toMatchObject([
    {
      time: at(61),
      newestId: id(50),
      data: { recipientId: uuid(2), notificationIds: [id(50), id(2), id(1)], total: 3, unreadCount: 3 },
    },
    {
      time: at(61),
      newestId: id(1),
      data: { recipientId: uuid(3), notificationIds: [id(1)], total: 1, unreadCount: 1 },
    },
  ])
  const { data: latest } = JSON.parse(String(await feedOf(uuid(2)).get(id(50))))
  expect(published[0]?.data.latest).toEqual(latest)
  await writeAll(500)
  expect(await publishAll()).toMatchObject([{ data: { notificationIds: [id(3)], locationId: uuid(77) } }])
})

test('does not announce what was read or retracted meanwhile, nor what is marked unread later', async () => {
  await create(one(1), one(2), one(3), one(4))
  await feedOf(uuid(2)).markRead(id(1), at(10))
  await retractions.apply([retraction(1, { notificationId: id(2) })])
  await writeAll(61)
  await feedOf(uuid(2)).markUnread(id(1), at(62))
  await writeAll(200)
  expect(await publishAll()).toMatchObject([
    { newestId: id(4), data: { notificationIds: [id(4), id(3)], unreadCount: 3 } },
  ])
  await create(one(5))
  await writeAll(300)
  expect(await publishAll()).toMatchObject([{ data: { notificationIds: [id(5)], total: 1, unreadCount: 4 } }])
})

test('announces nothing of what was stored without the setting, and nothing again after a replay', async () => {
  await store.notifications.insertNew([one(1)])
  await create(one(2))
  await writeAll(200)
  expect(await publishAll()).toMatchObject([{ data: { notificationIds: [id(2)], total: 1, unreadCount: 2 } }])
  await create(one(1), one(2))
  await writeAll(300)
  expect(await publishAll()).toEqual([])
})

test('skips what is still being stored until it is', async () => {
  const notification = one(1)
  const { created } = await insertNew([notification])
  expect(await digests.isDue(at(100))).toBe(false)
  await created.postpone([], at(0))
  expect(await digests.isDue(at(100))).toBe(true)
})

test('announces each once if a process wakes up that was frozen after it computed a digest', async () => {
  await create(one(1), one(2))
  const [isFrozen, isAwake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const frozen = startProcess(async (_, when, name) => {
    if (name !== 'insert' || when === 'after') return
    isFrozen.resolve()
    await isAwake.promise
  })
  const late = writeAll(61, frozen)
  await isFrozen.promise
  await store.notifications.of({ subscriberId, recipientId: uuid(2) }).markRead(id(1), at(62))
  await create(one(3))
  await writeAll(120)
  isAwake.resolve()
  await late
  expect(await publishAll()).toMatchObject([{ data: { notificationIds: [id(3), id(2)], total: 2 } }])
})

test('announces nothing that a frozen process computed, if it was read before the next one looked', async () => {
  await create(one(1))
  const [isFrozen, isAwake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { clock, pass } = createTestClock()
  const frozen = startProcess(async (_, when, name) => {
    if (name !== 'insert' || when === 'after') return
    isFrozen.resolve()
    await isAwake.promise
  }, clock)
  const late = expect(writeAll(61, frozen)).rejects.toThrow(StorageUnavailableError)
  await isFrozen.promise
  await feedOf(uuid(2)).markRead(id(1), at(62))
  await writeAll(120)
  pass(15_001)
  isAwake.resolve()
  await late
  await writeAll(121, frozen)
  expect(await publishAll()).toEqual([])
})

test('announces nothing again if a process wakes up that was frozen before it looked for the last digest', async () => {
  await create(one(1), one(2))
  const [isFrozen, isAwake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const frozen = startProcess(async (_, when, name) => {
    if (name !== 'findOne' || when === 'after') return
    isFrozen.resolve()
    await isAwake.promise
  })
  const late = writeAll(61, frozen)
  await isFrozen.promise
  await writeAll(62)
  await create(one(3))
  isAwake.resolve()
  await late
  expect(await publishAll()).toMatchObject([{ data: { notificationIds: [id(2), id(1)], total: 2 } }])
})

test('a digest has an end by the clock of MongoDB, whether it is announced or not', async () => {
  const days = 24 * 60 * 60_000
  await create(one(1))
  await writeAll(61)
  const ends = async () => (await collections.digests.find().toArray()).map(({ expiresAt }) => expiresAt.getTime())
  const [end = 0] = await ends()
  expect(end - Date.now()).toBeGreaterThan(29 * days)
  expect(end - Date.now()).toBeLessThan(31 * days)
  expect(await publishAll()).toHaveLength(1)
  expect(await ends()).toEqual([end])
})

test('a second attempt to publish is the same event, whatever was read in between', async () => {
  await create(one(1), one(2))
  await writeAll(61)
  const read = async () => (await announcements.next(at(1_000))).flatMap(({ items }) => items)
  const first = await read()
  await feedOf(uuid(2)).markMany('read', { all: true }, at(70))
  await create(one(3))
  expect(await read()).toEqual(first)
})

test('lists the newest 100 of many, and counts all', async () => {
  const many = Array.from({ length: 130 }, (_, n) => one(n + 1))
  await create(...many)
  await feedOf(uuid(2)).markRead(id(130), at(61))
  await writeAll(61)
  const [published, ...others] = await publishAll()
  expect(others).toEqual([])
  expect(published?.data).toMatchObject({ total: 129, unreadCount: 129, latest: { id: id(129) } })
  expect(published?.data.notificationIds).toEqual(
    many
      .slice(29, 129)
      .map((notification) => notification.id)
      .toReversed(),
  )
})

test('announces each once if the process is killed at any operation', async () => {
  const prepare = async () => {
    for (const name of ['notifications', 'fan-outs', 'digests']) await database.collection(name).deleteMany({})
    await create(mention(1), one(2))
  }
  await prepare()
  const counted = startProcess()
  await writeAll(100, counted)
  for (let operation = 1; operation <= counted.operations(); operation++) {
    for (const when of ['before', 'after'] as const) {
      await prepare()
      const killed = startProcess(async (now, phase) => {
        if (now > operation || (now === operation && phase === when)) throw new Error('Killed')
      })
      await expect(writeAll(100, killed)).rejects.toThrow()
      await create(one(30))
      await writeAll(200)
      const published = (await publishAll()).flatMap(({ data }) =>
        data.notificationIds.map((one) => [data.recipientId, one]),
      )
      expect({ operation, when, published: published.map(String).sort() }).toEqual({
        operation,
        when,
        published: [
          [2, 1],
          [2, 2],
          [2, 30],
          [3, 1],
        ].map(([r, n]) => `${uuid(r ?? 0)},${id(n ?? 0)}`),
      })
    }
  }
}, 300_000)

test('one that cannot be written is retried in a minute and delays no others', async () => {
  await create(...range(1, 60).map((n) => one(n, { locationId: uuid(100 + n) })))
  await create(mention(70))
  // A notification without a required field cannot be returned as JSON.
  const damaged = range(1, 55).map((n) => toKey(subscriberId, uuid(2), id(n)))
  await collections.notifications.updateMany({ _id: { $in: damaged } }, { $unset: { actorName: true } })
  const failures: string[] = []
  for (let call = 1; call <= 4; call++)
    await digests.writeNext(at(200), unreadAfterMs).catch((error: Error) => failures.push(error.message))
  expect(failures).toEqual([50, 5].map((n) => expect.stringContaining(`digests of ${n} notifications`)))
  const newest = (await publishAll()).map(({ newestId }) => newestId)
  expect(newest.sort()).toEqual([...range(56, 60), 70, 70].map(id))
  expect(await digests.isDue(at(259))).toBe(false)

  await collections.notifications.updateMany({ _id: { $in: damaged } }, { $set: { actorName: 'Ada' } })
  await writeAll(260)
  expect((await publishAll()).map(({ newestId }) => newestId).sort()).toEqual(range(1, 55).map(id))
  expect(await digests.isDue(at(100_000))).toBe(false)
})

test('one that cannot be written delays no other recipients of the same notification', async () => {
  await create(mention(1))
  const damaged = { _id: toKey(subscriberId, uuid(2), id(1)) }
  await collections.notifications.updateOne(damaged, { $unset: { actorName: true } })
  await expect(writeAll(61)).rejects.toThrow('digests of 1 notifications')
  expect(await publishAll()).toMatchObject([{ data: { recipientId: uuid(3) } }])
  await expect(writeAll(121)).rejects.toThrow('digests of 1 notifications')
  await collections.notifications.deleteOne(damaged)
  await writeAll(181)
  expect(await publishAll()).toEqual([])
  expect(await digests.isDue(at(100_000))).toBe(false)
})

describe('many due at once', () => {
  const recipients = usually(1_100, { inFullRuns: 2_500 })
  const heldFor = Math.floor(recipients / 25)
  const recipientIds = Array.from({ length: recipients }, (_, n) => uuid(10_000 + n))

  test('are written under a lease that is renewed in between, and stop when it is lost', async () => {
    await create(one(1, { recipientIds }))
    let holds = 0
    expect(await digests.writeNext(at(500), unreadAfterMs, async () => holds++ < heldFor)).toBe(0)
    expect(await collections.digests.countDocuments()).toBeGreaterThan(recipients / 3)
    expect(await collections.digests.countDocuments()).toBeLessThan(recipients)
    expect(await digests.writeNext(at(500), unreadAfterMs)).toBe(1)
    expect(await publishAll()).toHaveLength(recipients)
  }, 300_000)

  test('are examined by key, in steps', async () => {
    await create(one(1, { recipientIds }), one(2, { recipientIds, locationId: uuid(78) }))
    const figures = await examined('notifications', () => digests.writeNext(at(500), unreadAfterMs))
    expect(figures.length).toBeGreaterThan(100)
    expect(Math.max(...figures.map(({ keys, documents }) => keys + documents))).toBeLessThan(2_100)
    expect(figures.map(({ plan }) => plan).filter((plan) => plan.includes('COLLSCAN'))).toEqual([])
    const published = await publishAll()
    expect(published).toHaveLength(2 * recipients)
    expect(await collections.digests.countDocuments({ data: { $exists: true } })).toBe(0)
  }, 300_000)
})

test('large fan-outs are read a few at a time', async () => {
  await create(...[1, 2, 3].map((n) => one(n, { locationId: uuid(70 + n) })))
  await database.collection('fan-outs').updateMany({}, { $set: { padding: 'x'.repeat(300 * 1024) } })
  expect(await digests.writeNext(at(100), unreadAfterMs)).toBe(1)
  await writeAll(100)
  expect((await publishAll()).map(({ newestId }) => newestId).sort()).toEqual([id(1), id(2), id(3)])
})
