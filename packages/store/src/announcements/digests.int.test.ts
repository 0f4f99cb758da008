import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { digestsIn, fanOutsIn, notificationsIn, tombstoneHeadsIn, tombstonesIn } from '../collections.ts'
import { createFanOutRoom } from '../fan-outs/fan-out-room.ts'
import { mention, retraction, withoutErasures } from '../fan-outs/fan-outs.fixture.ts'
import { createInterceptor, type Intercept } from '../fan-outs/intercepted.fixture.ts'
import type { NewNotification } from '../notifications/notification-document.ts'
import { createNotifications } from '../notifications/notifications.ts'
import { at, createTestStore, subscriberId, uuid } from '../store.fixture.ts'
import { createAnnouncements } from './announcements.ts'
import { createDigests } from './digests.ts'

const { store, database, drop, examined } = createTestStore('digests')
beforeAll(() => store.migrate())
afterAll(drop)
beforeEach(async () => {
  for (const name of ['notifications', 'fan-outs', 'tombstones', 'digests'])
    await database.collection(name).deleteMany({})
})

const unreadAfterMs = 60_000
const announcing = { isRecent: () => true, onTooOld: () => {}, now: () => at(0), unreadAfterMs }

function startProcess(intercept?: Intercept) {
  const { wrap, operations } = createInterceptor(intercept)
  const [fanOuts, notifications] = [wrap(fanOutsIn(database)), wrap(notificationsIn(database))]
  const digests = wrap(digestsIn(database))
  const { insertNew: insertForRecipients } = createNotifications({ collection: notifications } as never)
  const room = createFanOutRoom({
    ...withoutErasures,
    ...{ fanOuts, notifications, announcing, insertForRecipients },
    tombstones: wrap(tombstonesIn(database)),
    heads: wrap(tombstoneHeadsIn(database)),
  })
  return {
    ...{ operations, room },
    announcements: createAnnouncements({ ...withoutErasures, fanOuts, notifications, digests }),
    digests: createDigests({ ...withoutErasures, fanOuts, notifications, digests }),
  }
}

const { room, announcements, digests } = startProcess()

/** Stores notifications whose creation is announced. */
async function create(...notifications: readonly NewNotification[]): Promise<void> {
  await room.insertNew(notifications)
  await (await announcements.createdOf(notifications)).settle([])
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

test('announces per recipient and location what is unread when the oldest is due, once', async () => {
  const elsewhere = { locationId: uuid(77) }
  await create(mention(1), one(2), one(3, elsewhere), one(50))
  await writeAll(60)
  expect(await publishAll()).toEqual([])
  await writeAll(61)
  const published = await publishAll()
  expect(published).toMatchObject([
    {
      ...{ time: at(61), newestId: id(50) },
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
  await room.retractions.apply([retraction(1, { notificationId: id(2) })])
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
  await room.insertNew([notification])
  expect(await digests.isDue(at(100))).toBe(false)
  await announcements.deferCreated([notification], at(0))
  expect(await digests.isDue(at(100))).toBe(true)
})

test('a second attempt to publish is the same event, whatever was read in between', async () => {
  await create(one(1), one(2))
  await writeAll(61)
  const read = async () => (await announcements.next(at(1_000))).flatMap(({ items }) => items)
  const first = await read()
  await feedOf(uuid(2)).markManyRead({ all: true }, at(70))
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
        ...{
          operation,
          when,
          published: [
            [2, 1],
            [2, 2],
            [2, 30],
            [3, 1],
          ].map(([r, n]) => `${uuid(r ?? 0)},${id(n ?? 0)}`),
        },
      })
    }
  }
}, 60_000)

describe('many due at once', () => {
  const recipients = 2_500
  const recipientIds = Array.from({ length: recipients }, (_, n) => uuid(10_000 + n))

  test('are examined by key, in steps', async () => {
    await create(one(1, { recipientIds }), one(2, { recipientIds, locationId: uuid(78) }))
    const figures = await examined('notifications', () => digests.writeNext(at(500), unreadAfterMs))
    // The profiler keeps only the last megabyte.
    expect(figures.length).toBeGreaterThan(100)
    expect(Math.max(...figures.map(({ keys, documents }) => keys + documents))).toBeLessThan(2_100)
    expect(figures.map(({ plan }) => plan).filter((plan) => plan.includes('COLLSCAN'))).toEqual([])
    const published = await publishAll()
    expect(published).toHaveLength(2 * recipients)
    expect(await digestsIn(database).countDocuments({ data: { $exists: true } })).toBe(0)
  }, 60_000)
})
