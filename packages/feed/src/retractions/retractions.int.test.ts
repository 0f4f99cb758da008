import { usually } from '@herald/jest-preset/full-run'
import { isStorageUnavailable, StorageUnavailableError } from '@herald/mongo'
import { at, createInterceptor, createTestClock, subscriberId, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { NewNotification } from '../documents/notification-document.ts'
import type { Receipt } from '../documents/waiting-receipt.ts'
import { newNotification, pageIn } from '../new-notification.fixture.ts'
import { createEmptyFeed, createWriters } from '../test-feed.fixture.ts'
import { mention, retraction } from './fan-outs.fixture.ts'

const { store, database, collections, examined, migrate, close } = createEmptyFeed()
const { notifications, retractions, receipts } = store

beforeAll(migrate)
afterAll(close)
beforeEach(async () => {
  for (const name of ['notifications', 'fan-outs', 'tombstones', 'waiting-receipts']) {
    await database.collection(name).deleteMany({})
  }
})

const feed = (recipientId: string) => notifications.of({ subscriberId, recipientId })
async function idsOf(recipientId: string): Promise<string[]> {
  const { notifications: found } = pageIn(await feed(recipientId).list({ limit: 100, status: 'all' }))
  expect((await feed(recipientId).counts()).unreadCount).toBe(found.filter(({ readAt }) => readAt === null).length)
  return found.map(({ id }) => id)
}
const count = (collection: string) => database.collection(collection).countDocuments()
const byId = ({ id }: NewNotification) => ({ notificationId: id })
const location = { locationType: 'comment', locationId: uuid(92) }
/** For tests that write thousands of documents: only one that hangs takes longer, however busy the machine is. */
const many = usually(2_000, { inFullRuns: 10_000 })
const hangsAfterMs = 300_000
/** Repeats what is not done in time, as ingest does: on a busy machine a large write takes longer than 8 s. */
async function asIngest(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      return void (await work())
    } catch (error) {
      if (!isStorageUnavailable(error)) throw error
    }
  }
}

test('takes a notification back by id from all recipients, whatever its time', async () => {
  const [first, second] = [mention(1), mention(2)]
  await notifications.insertNew([first, second])
  await retractions.apply([retraction(1, byId(first), { seconds: 0 })])
  expect(await idsOf(uuid(2))).toEqual([second.id])
  expect(await idsOf(uuid(3))).toEqual([second.id])
  expect(await feed(uuid(2)).get(first.id)).toBeNull()
  expect(await feed(uuid(2)).markRead(first.id, at(5))).toBeNull()
  expect(await feed(uuid(2)).markUnread(first.id, at(5))).toBeNull()
})

test('an id without a time concerns no notification to come, so that no insert searches for its retraction', async () => {
  await retractions.apply([retraction(1, { notificationId: '6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9' })])
  const written = await database.collection('tombstones').find().toArray()
  expect(written.length).toBeGreaterThan(0)
  for (const { until } of written) expect(until).toEqual(new Date(0))
  const later = mention(1)
  await notifications.insertNew([later])
  expect(await idsOf(uuid(2))).toEqual([later.id])
})

test('retracts only from the named recipients; several retractions add up', async () => {
  const given = mention(1, { recipientIds: [uuid(2), uuid(3), uuid(4)] })
  await notifications.insertNew([given])
  await retractions.apply([retraction(1, byId(given), { recipientIds: [uuid(3), uuid(70)] })])
  expect([await idsOf(uuid(2)), await idsOf(uuid(3)), await idsOf(uuid(4))]).toEqual([[given.id], [], [given.id]])
  await retractions.apply([retraction(2, byId(given), { recipientIds: [uuid(2), uuid(3)] })])
  expect([await idsOf(uuid(2)), await idsOf(uuid(3)), await idsOf(uuid(4))]).toEqual([[], [], [given.id]])
})

test('by location, retracts what is not later than the retraction and of that type', async () => {
  const [early, late] = [mention(10), mention(12)]
  const elsewhere = mention(5, { locationId: uuid(93) })
  const otherType = mention(6, { locationType: 'file' })
  await notifications.insertNew([early, mention(11), late, elsewhere, otherType])
  await retractions.apply([retraction(1, location, { seconds: 11 })])
  expect(await idsOf(uuid(2))).toEqual([late.id, otherType.id, elsewhere.id])
  const restored = mention(13)
  await notifications.insertNew([restored])
  expect(await idsOf(uuid(2))).toEqual([restored.id, late.id, otherType.id, elsewhere.id])
})

test('of several of one location that come together, does not repeat what a later one has retracted', async () => {
  await notifications.insertNew([1, 5, 9, 13].map((n) => mention(n)))
  const given = [
    ...Array.from({ length: 40 }, (_, n) =>
      retraction(n, location, { seconds: n % 10, recipientIds: n % 2 ? [uuid(3)] : undefined }),
    ),
    retraction(50, location, { seconds: 9, recipientIds: [uuid(2)] }),
    retraction(51, { ...location, locationType: 'file' }, { seconds: 100 }),
  ]
  const lines = await examined('fan-outs', () => retractions.apply(given))
  expect(lines.length).toBeLessThan(40)
  expect([await idsOf(uuid(2)), await idsOf(uuid(3))]).toEqual([[mention(13).id], [mention(13).id]])
  expect(await examined('fan-outs', () => retractions.apply(given))).toEqual([])
})

test('allows 30 s for the clock of a `POST /`, stored before or after', async () => {
  const retract = retraction(1, location, { seconds: 11 })
  await notifications.insertNew([mention(41, { via: 'http' }), mention(42, { via: 'http' })])
  await retractions.apply([retract])
  await notifications.insertNew([mention(40, { via: 'http' }), mention(43, { via: 'http' }), mention(12)])
  expect(await idsOf(uuid(2))).toEqual([43, 42, 12].map((n) => mention(n).id))
})

test('a retraction before its notification keeps it away, also when both are replayed', async () => {
  const [first, second] = [mention(1), mention(2)]
  const retracts = [
    retraction(1, byId(first), { recipientIds: [uuid(3)] }),
    retraction(2, location, { seconds: 2, recipientIds: [uuid(2)] }),
  ]
  for (let round = 0; round < 3; round++) {
    await retractions.apply(retracts)
    await notifications.insertNew([first, second])
    expect([await idsOf(uuid(2)), await idsOf(uuid(3))]).toEqual([[], [second.id]])
  }
})

test('a subscriber’s retraction leaves those of another alone', async () => {
  const given = mention(1)
  await notifications.insertNew([given])
  await retractions.apply([
    retraction(1, byId(given), { subscriberId: uuid(8) }),
    retraction(2, location, { subscriberId: uuid(8) }),
  ])
  expect(await idsOf(uuid(2))).toEqual([given.id])
})

test('cursors stay valid on a retracted notification', async () => {
  const all = [1, 2, 3].map((n) => mention(n))
  await notifications.insertNew(all)
  await retractions.apply([retraction(1, byId(all[1] as NewNotification))])
  const page = pageIn(await feed(uuid(2)).list({ limit: 10, status: 'all', before: all[1]?.id }))
  expect(page.notifications.map(({ id }) => id)).toEqual([all[0]?.id])
})

const receipt = (notification: NewNotification, recipientId: string, n: number): Receipt => ({
  subscriberId,
  recipientId,
  notificationId: notification.id,
  kind: 'email-sent',
  at: at(5),
  eventId: uuid(60_000 + n),
  record: String(n),
})
const context = { now: at(100), group: 'g' }

test('an event that is redelivered with other recipients keeps the first ones, so that a retraction finds all', async () => {
  const given = mention(1)
  await notifications.insertNew([given])
  await notifications.insertNew([{ ...given, recipientIds: [uuid(3), uuid(4)] }, mention(2)])
  expect([await idsOf(uuid(2)), await idsOf(uuid(4))]).toEqual([[mention(2).id, given.id], []])
  await retractions.apply([retraction(1, byId(given))])
  expect(await count('notifications')).toBe(2)
})

test('settles receipts of retracted notifications, in any order', async () => {
  const [first, second, third] = [mention(1), mention(2), mention(3)]
  await notifications.insertNew([first])
  await retractions.apply([retraction(1, byId(first), { recipientIds: [uuid(2)] })])
  // After the retraction, before its notification, and for a notification that never arrives.
  expect(await receipts.apply([receipt(first, uuid(2), 1)], context)).toEqual({ waiting: 0, dropped: 0, refused: [] })
  expect(await receipts.apply([receipt(second, uuid(2), 2)], context)).toEqual({ waiting: 1, dropped: 0, refused: [] })
  await retractions.apply([retraction(2, location), retraction(3, byId(third))])
  await notifications.insertNew([second])
  expect(await count('waiting-receipts')).toBe(0)
  expect(await receipts.apply([receipt(third, uuid(2), 3)], context)).toEqual({ waiting: 0, dropped: 0, refused: [] })
  // One that waited before the retraction is no longer overdue after it.
  const fourth = mention(4)
  expect(await receipts.apply([receipt(fourth, uuid(2), 4)], context)).toEqual({ waiting: 1, dropped: 0, refused: [] })
  await retractions.apply([retraction(4, byId(fourth))])
  const overdue = { now: at(10_000), before: at(9_000), group: 'g', leaseMs: 1_000 }
  expect(await receipts.claimOverdue(overdue)).toBeUndefined()
})

test('a receipt of someone who was not named still waits', async () => {
  const given = mention(1)
  await retractions.apply([retraction(1, byId(given), { recipientIds: [uuid(3)] })])
  expect(await receipts.apply([receipt(given, uuid(2), 1)], context)).toEqual({ waiting: 1, dropped: 0, refused: [] })
})

test('knows the actor of a notification that was ever stored', async () => {
  const given = mention(1)
  expect(await retractions.actorOf({ subscriberId, notificationId: given.id })).toBeNull()
  await notifications.insertNew([given])
  await retractions.apply([retraction(1, byId(given))])
  expect(await retractions.actorOf({ subscriberId, notificationId: given.id })).toBe(given.actor.id)
  expect(await retractions.actorOf({ subscriberId: uuid(8), notificationId: given.id })).toBeNull()
})

test(
  `retracts ${many} recipients of one notification, whose fan-out has some 20 bytes for each`,
  async () => {
    const recipientIds = Array.from({ length: many }, (_, n) => uuid(100_000 + n))
    const given = newNotification(mention(1).id, { recipientIds })
    await asIngest(() => notifications.insertNew([given]))
    const fromSome = retraction(1, byId(given), { recipientIds: recipientIds.slice(0, many / 2) })
    await asIngest(() => retractions.apply([fromSome]))
    expect(await count('notifications')).toBe(many / 2)
    await asIngest(() => retractions.apply([retraction(2, byId(given))]))
    expect(await count('notifications')).toBe(0)
    const [found] = await database
      .collection('fan-outs')
      .aggregate([{ $project: { bytes: { $bsonSize: '$$ROOT' } } }])
      .toArray()
    expect(found?.bytes).toBeLessThan(20 * many + 1_024)
  },
  hangsAfterMs,
)

test(
  'retracts more than one step of a location, and a replay examines none of it',
  async () => {
    const stored = Array.from({ length: 601 }, (_, n) => mention(n, { recipientIds: [uuid(2)] }))
    await asIngest(() => notifications.insertNew(stored))
    const retract = retraction(1, location, { seconds: 599 })
    await asIngest(() => retractions.apply([retract]))
    expect(await idsOf(uuid(2))).toEqual([mention(600).id])
    expect(await examined('fan-outs', () => retractions.apply([retract]))).toEqual([])
  },
  hangsAfterMs,
)

test(
  'ends after a while without what is left, and a retry continues there',
  async () => {
    const stored = Array.from({ length: 1_101 }, (_, n) => mention(n, { recipientIds: [uuid(2)] }))
    const elsewhere = mention(1_200, { recipientIds: [uuid(2)], locationId: uuid(93) })
    await asIngest(() => notifications.insertNew([...stored, elsewhere]))
    const { clock, pass } = createTestClock()
    const { wrap } = createInterceptor(async (_, when) => {
      if (when === 'after') pass(21_000)
    })
    const slow = createWriters(wrap(collections, ['notifications']), { clock })
    const apply = () =>
      slow.retractions.apply([retraction(1, location), retraction(2, { ...location, locationId: uuid(93) })])
    for (const left of [602, 102, 1]) {
      await expect(apply()).rejects.toThrow(StorageUnavailableError)
      expect(await count('notifications')).toBe(left)
    }
    expect(await apply()).toEqual({ refused: [] })
    expect(await count('notifications')).toBe(0)
    // So does the repetition of what is done.
    await collections.tombstones.updateMany({ done: true }, { $set: { dueAt: at(10) } })
    for (const again of [0, 0, 1, 1, 0]) {
      expect(await slow.unfinished.finish(at(20))).toEqual({ finished: 0, refused: [], again })
    }
  },
  hangsAfterMs,
)

test('leaves to others what has more recipients than a chunk waits for', async () => {
  const recipientIds = Array.from({ length: 1_001 }, (_, n) => uuid(100_000 + n))
  const [large, small] = [mention(1, { recipientIds }), mention(2, { locationId: uuid(93) })]
  await asIngest(() => notifications.insertNew([large, small]))
  const { retractions: inTime } = createWriters(collections, { clock: () => 0 })
  const given = [retraction(1, location), retraction(2, { ...location, locationId: uuid(93) })]
  await asIngest(() => inTime.accept(given))
  expect([await count('notifications'), await retractions.nextLeft()]).toEqual([1_001, subscriberId])
  expect(await retractions.nextLeft(subscriberId)).toBeUndefined()
  expect(await inTime.goOn(subscriberId)).toEqual({ done: 1, refused: [] })
  expect([await count('notifications'), await retractions.nextLeft()]).toEqual([0, undefined])
  expect(await examined('fan-outs', () => inTime.accept(given))).toEqual([])
})

test(
  'storing new notifications examines no head, and older ones search tombstones only if a head changed',
  async () => {
    const retracts = [
      ...Array.from({ length: 60 }, (_, n) =>
        retraction(n, { ...location, locationId: uuid(70_000 + n) }, { seconds: 9 }),
      ),
      ...Array.from({ length: 60 }, (_, n) => retraction(1_000 + n, byId(mention(440 + n)), { seconds: 2_000 })),
    ]
    await asIngest(() => retractions.apply(retracts))
    const chunk = (seconds: number) =>
      Array.from({ length: 100 }, (_, n) => mention(seconds + n, { recipientIds: [uuid(2)] }))
    const lines = await examined('tombstones', () => notifications.insertNew(chunk(1_000)))
    expect(lines.map(({ keys, documents }) => [keys <= 2, documents])).toEqual([
      [true, 0],
      [true, 0],
    ])
    // Older ones are searched once, and only those that apply are examined.
    const older = await examined('tombstones', () => notifications.insertNew(chunk(450)))
    expect(older.map(({ documents }) => documents)).toEqual([1, 50, 1, 50])
    expect((await feed(uuid(2)).counts()).unreadCount).toBe(150)
  },
  hangsAfterMs,
)
