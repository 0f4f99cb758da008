import { changeBy } from '@herald/change-log/testing'
import type { NewNotification, Receipt } from '@herald/feed'
import { byAda, mention, notificationIn, pageIn, retraction } from '@herald/feed/testing'
import { at, subscriberId, uuid } from '@herald/mongo/testing'
import { ada, bob, clear, cleo, erasure, findTraces, workOff } from '@herald/persons/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Binary } from 'mongodb'
import { createEmptyStore } from '../test-store.fixture.ts'

const { store, database, examined, migrate, close } = createEmptyStore()
const { notifications, retractions, receipts, erasures, changeEntries, createRequests } = store

beforeAll(migrate)
afterAll(close)
beforeEach(() => clear(database))

const pseudonym = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const feed = (recipientId: string) => notifications.of({ subscriberId, recipientId })
const list = async (recipientId: string) =>
  pageIn(await feed(recipientId).list({ limit: 100, status: 'all' })).notifications as (Record<string, unknown> & {
    id: string
  })[]
const idsOf = async (recipientId: string) => (await list(recipientId)).map(({ id }) => id)
const count = (collection: string) => database.collection(collection).countDocuments()
const erase = async (...given: Parameters<typeof erasures.accept>[0]) => {
  expect(await erasures.accept(given)).toEqual({ refused: [] })
  return workOff(erasures)
}
const log = async () => JSON.parse(String(await changeEntries.of(subscriberId).list({}, 100))).data.changeEntries

test('deletes the feed up to the time, and no other feed', async () => {
  const [early, atTime, late] = [mention(1), mention(2), mention(3)]
  await notifications.insertNew([early, atTime, late])
  const steps = await erase(erasure(1, ada, 2))
  expect(await idsOf(ada)).toEqual([late.id])
  expect((await feed(ada).counts()).unreadCount).toBe(1)
  expect(await feed(ada).get(early.id)).toBeNull()
  expect(await idsOf(bob)).toEqual([late.id, atTime.id, early.id])
  expect(steps.at(-1)).toMatchObject({ done: true, phase: 'digests' })
  expect(await erasures.open()).toEqual([])
})

test('deletes the person’s mutes and those of the person, and how far the feed was seen, up to the time', async () => {
  const mutesOf = (recipientId: string) => store.mutes.of({ subscriberId, recipientId })
  const [place, other] = [{ kind: 'location', id: uuid(7) } as const, { kind: 'actor', id: cleo } as const]
  await notifications.insertNew([mention(1), mention(5)])
  await mutesOf(ada).set(place, undefined, at(1))
  await mutesOf(ada).set(other, undefined, at(3))
  await mutesOf(bob).set({ kind: 'actor', id: ada }, undefined, at(1))
  await mutesOf(bob).set(other, undefined, at(1))
  await feed(ada).markSeen(mention(1).id, at(10))
  await feed(bob).markSeen(undefined, at(10))
  await erase(erasure(1, ada, 2))
  expect(await mutesOf(ada).list(at(10))).toMatchObject([other])
  expect(await mutesOf(bob).list(at(10))).toMatchObject([other])
  expect((await feed(ada).counts()).seenUpTo).toBeNull()
  expect((await feed(bob).counts()).seenUpTo).toBe(mention(5).id)
  await erase(erasure(2, ada, 20))
  expect(await mutesOf(ada).list(at(10))).toEqual([])
  expect(await findTraces(database, { texts: [], ids: [ada] })).toEqual([])
})

test('masks the actor, the subject and the texts of the mention, with the time of the erasure as updatedAt', async () => {
  const [written, about, other] = [byAda(1), mention(2, { subjectId: ada, recipientIds: [bob] }), mention(3)]
  await notifications.insertNew([written, about, other])
  await erase(erasure(1, ada, 10))
  const [third, second, first] = await list(bob)
  expect(first).toMatchObject({
    id: written.id,
    actorId: expect.stringMatching(pseudonym),
    updatedAt: '2126-01-01T00:00:10Z',
    createdAt: '2126-01-01T00:00:01Z',
    subjectId: written.subjectId,
    actor: { id: first?.actorId, name: '', image: '' },
  })
  expect(JSON.stringify(first?.metadata)).toBe(
    '{"mention":{"entityType":"e","snippet":"","mentionerName":""},"add":{"b":1,"a":2},"edit":{}}',
  )
  expect(second).toMatchObject({
    subjectId: first?.actorId,
    actorId: about.actor.id,
    updatedAt: '2126-01-01T00:00:10Z',
  })
  expect(third).toMatchObject({ subjectId: other.subjectId, updatedAt: '2126-01-01T00:00:03Z' })
  expect((await list(cleo))[0]).toEqual(first)
})

test('masks all recipients if the notifications of the first ones are gone', async () => {
  const recipientIds = Array.from({ length: 1_200 }, (_, n) => uuid(10_000 + n))
  await notifications.insertNew([byAda(1, { recipientIds })])
  const collection = database.collection('notifications')
  const first = await collection.find().sort({ _id: 1 }).limit(2).toArray()
  await collection.deleteMany({ _id: { $in: first.map(({ _id }) => _id) } })
  await erase(erasure(1, ada, 10))
  expect(await collection.countDocuments({ actorName: '', actorImage: '' })).toBe(1_198)
  expect(await findTraces(database, { ids: [ada], texts: ['Ada L.'] })).toEqual([])
})

test('examines at most two notifications per read and per change, however many are stored', async () => {
  const others = Array.from({ length: 200 }, (_, n) => mention(100 + n, { recipientIds: [bob, cleo] }))
  await notifications.insertNew([...Array.from({ length: 20 }, (_, n) => byAda(n)), ...others])
  const lines = await examined('notifications', () => erase(erasure(1, ada, 1_000)))
  expect(await database.collection('notifications').countDocuments({ actorName: '' })).toBe(40)
  // At least a read per fan-out and a change per notification.
  expect(lines.length).toBeGreaterThanOrEqual(60)
  expect(Math.max(...lines.map(({ documents }) => documents))).toBeLessThanOrEqual(2)
})

test('masks the user of change entries up to the time, not their states', async () => {
  await changeEntries.insertNew([changeBy(ada, 1), changeBy(bob, 2), changeBy(ada, 9)])
  await erase(erasure(1, ada, 5))
  const [late, others, early] = await log()
  expect(late.user).toEqual({ id: ada, name: 'Ada', email: 'ada@example.com' })
  expect(others.user.id).toBe(bob)
  expect(early).toMatchObject({
    user: { id: expect.stringMatching(pseudonym), name: '', email: '' },
    beforeState: { by: 'someone' },
  })
  // The filter by user follows.
  const found = await changeEntries.of(subscriberId).list({ userId: early.user.id }, 10)
  expect(JSON.parse(String(found)).data.changeEntries).toEqual([early])
})

test('the pseudonym is the same for one person, and differs between persons and subscribers', async () => {
  const elsewhere = { subscriberId: uuid(8) }
  await changeEntries.insertNew([
    ...[changeBy(ada, 1), changeBy(ada, 2), changeBy(bob, 3)],
    changeBy(ada, 1, elsewhere),
  ])
  await erase(erasure(1, ada, 1), erasure(2, bob, 9), erasure(3, ada, 9, elsewhere))
  await erase(erasure(4, ada, 9))
  const [third, second, first] = await log()
  const other = JSON.parse(String(await changeEntries.of(uuid(8)).list({}, 10))).data.changeEntries[0]
  expect(second.user.id).toBe(first.user.id)
  expect(new Set([first.user.id, third.user.id, other.user.id]).size).toBe(3)
})

const receipt = (notification: NewNotification, recipientId: string, n: number): Receipt => ({
  subscriberId,
  recipientId,
  notificationId: notification.id,
  kind: 'email-sent',
  at: at(5),
  eventId: uuid(60_000 + n),
  record: JSON.stringify({ recipientId }),
})
const context = { now: at(100), group: 'g' }

test('deletes waiting receipts, and drops and counts later ones', async () => {
  const given = mention(1)
  await receipts.apply([receipt(given, ada, 1), receipt(given, bob, 2)], context)
  await erase(erasure(1, ada, 10))
  expect(await count('waiting-receipts')).toBe(1)
  expect(await receipts.apply([receipt(given, ada, 3), receipt(given, cleo, 4)], context)).toEqual({
    waiting: 1,
    dropped: 1,
    refused: [],
  })
  await notifications.insertNew([given])
  expect(await count('waiting-receipts')).toBe(1)
  // A receipt of a notification after the erasure is one as any other.
  const after = mention(20)
  await notifications.insertNew([after])
  const late = { ...receipt(after, ada, 5), at: at(25) }
  expect(await receipts.apply([late], context)).toEqual({ waiting: 0, dropped: 0, refused: [] })
  expect((await list(ada))[0]).toMatchObject({ emailSentAt: at(25) })
})

test('a receipt that waits while its recipient is erased is applied to a notification that the erasure leaves', async () => {
  const after = mention(30)
  await receipts.apply([receipt(after, ada, 6)], context)
  await erase(erasure(3, ada, 20))
  // Whichever comes first, and although the receipt itself is dated before the erasure.
  await receipts.apply([receipt(after, ada, 7)], context)
  expect(await count('waiting-receipts')).toBe(2)
  await notifications.insertNew([after])
  expect(await count('waiting-receipts')).toBe(0)
  expect((await list(ada))[0]).toMatchObject({ id: after.id, emailSentAt: at(5) })
})

test('erases stored responses to an Idempotency-Key, of the person and of those who named the person', async () => {
  // Otherwise MongoDB deletes them, because their times are in the past.
  await database.collection('create-requests').dropIndex('expiry')
  const hash = Buffer.alloc(32, 1)
  const reserve = (userId: string, given = mention(1)) =>
    createRequests.reserve({ subscriberId, userId, idempotencyKey: 'k' }, hash, given, at(1))
  const without = mention(2, { recipientIds: [bob] })
  for (const [user, given] of [
    [ada, mention(1, { recipientIds: [bob] })],
    [bob, mention(1, { recipientIds: [ada] })],
    [cleo, without],
  ] as const) {
    const reserved = await reserve(user, given)
    if (reserved.kind === 'reserved') await reserved.finish()
  }
  await erase(erasure(1, ada, 10))
  expect([(await reserve(ada)).kind, (await reserve(bob)).kind]).toEqual(['erased', 'erased'])
  // A hash would confirm what somebody guesses of an erased body.
  const requests = database.collection<{ _id: Binary; content: string; bodyHash: Binary }>('create-requests')
  const found = await requests.find({ erased: true } as never).toArray()
  const own = found.filter(
    ({ _id }) => Buffer.from(_id.buffer).toString('hex', 0, 16) === subscriberId.replaceAll('-', ''),
  )
  expect(own.map(({ content, bodyHash }) => content.length + bodyHash.position)).toEqual([0, 0])
  expect(await reserve(cleo)).toEqual({ kind: 'finished', notification: without })
})

test('keeps the person away when everything is replayed, or arrives for the first time', async () => {
  const all = [byAda(1), mention(2, { subjectId: ada }), mention(3, { recipientIds: [ada] })]
  await notifications.insertNew(all.slice(0, 1))
  await changeEntries.insertNew([changeBy(ada, 1)])
  await erase(erasure(1, ada, 10))
  const before = [await list(bob), await log()]
  for (let round = 0; round < 2; round++) {
    await notifications.insertNew(all)
    await changeEntries.insertNew([changeBy(ada, 1), changeBy(ada, 2)])
    expect(await idsOf(ada)).toEqual([])
    const feedOfBob = await list(bob)
    expect(feedOfBob.map(({ id }) => id)).toEqual([all[1]?.id, all[0]?.id])
    expect([feedOfBob.slice(1), (await log()).slice(1)]).toEqual(before)
    expect((await log())[0].user).toEqual((await log())[1].user)
    expect(feedOfBob[0]).toMatchObject({ subjectId: feedOfBob[1]?.actorId, updatedAt: '2126-01-01T00:00:10Z' })
  }
  expect(await findTraces(database, { ids: [ada], texts: ['Ada L.', 'ada@example.com'] })).toEqual([])
})

test('leaves no trace of the person in any collection', async () => {
  await notifications.insertNew([
    ...[byAda(1), byAda(2, { recipientIds: [ada, bob], subjectId: ada, via: 'http', finishBy: at(60) })],
    mention(3, { recipientIds: [ada, bob] }),
  ])
  await changeEntries.insertNew([changeBy(ada, 1)])
  await feed(ada).markMany('read', { all: true }, at(4))
  await receipts.apply([receipt(mention(9), ada, 1)], context)
  await createRequests.reserve({ subscriberId, userId: ada, idempotencyKey: 'k' }, Buffer.alloc(32), byAda(5), at(1))
  await retractions.apply([retraction(1, { notificationId: mention(3).id }, { recipientIds: [bob] })])
  const traces = { ids: [ada], texts: ['Ada L.'] }
  expect(new Set(await findTraces(database, traces))).toEqual(
    new Set([...['notifications', 'fan-outs', 'change-entries', 'waiting-receipts', 'create-requests', 'bulk-marks']]),
  )
  await erase(erasure(1, ada, 10))
  // The key of the request, which answers a retry for a day.
  expect(await findTraces(database, traces)).toEqual(['create-requests'])
})

test('removes the person from retractions that name them, stored before or after the erasure', async () => {
  const given = mention(1, { recipientIds: [ada, bob, cleo] })
  const target = { notificationId: given.id }
  await retractions.apply([retraction(1, target, { seconds: 5, recipientIds: [ada, cleo] })])
  await erase(erasure(1, ada, 10))
  await retractions.apply([retraction(2, target, { seconds: 6, recipientIds: [ada] })])
  expect(await findTraces(database, { ids: [ada], texts: [] })).toEqual([])
  // They still apply to the others.
  await notifications.insertNew([given])
  expect([await idsOf(ada), await idsOf(bob), await idsOf(cleo)]).toEqual([[], [given.id], []])
})

test('masks a request that has not been finished', async () => {
  const given = byAda(1, { via: 'http', finishBy: at(60), recipientIds: [bob, ada] })
  await notifications.insertNew([given])
  const { finishBy: _, ...content } = given
  await database.collection('notifications').deleteMany({})
  await database.collection('fan-outs').updateOne({}, { $set: { content: JSON.stringify(content), dueAt: at(60) } })
  await erase(erasure(1, ada, 10))
  expect(await findTraces(database, { ids: [ada], texts: ['Ada L.'] })).toEqual([])
  expect(await store.unfinished.finish(at(60))).toEqual({ finished: 1, refused: [], again: 0 })
  expect(await idsOf(ada)).toEqual([])
  expect((await list(bob))[0]).toMatchObject({ actor: { id: expect.stringMatching(pseudonym), name: '', image: '' } })
  expect(await findTraces(database, { ids: [ada], texts: ['Ada L.'] })).toEqual([])
})

test('keeps the positions of the other recipients, for retractions', async () => {
  const given = mention(1, { recipientIds: [ada, bob, cleo] })
  await notifications.insertNew([given])
  await erase(erasure(1, ada, 10))
  const target = { notificationId: given.id }
  await retractions.apply([retraction(1, target, { recipientIds: [ada, cleo] })])
  expect([await idsOf(bob), await idsOf(cleo)]).toEqual([[given.id], []])
  await notifications.insertNew([given])
  await retractions.apply([retraction(2, target)])
  expect([await idsOf(ada), await idsOf(bob)]).toEqual([[], []])
  expect(await retractions.actorOf({ subscriberId, notificationId: given.id })).toBe(given.actor.id)
})

test('of several erasures of a person the latest counts, in any order', async () => {
  const states: unknown[] = []
  for (const order of [
    [5, 10, 7],
    [10, 5, 7],
    [7, 10, 5],
  ]) {
    await clear(database)
    const { insertedId } = await database.collection('person-keys').insertOne({
      _id: Buffer.from(subscriberId.replaceAll('-', ''), 'hex') as never,
      v: 1,
      key: Buffer.alloc(32, 7),
    })
    expect(insertedId).toBeDefined()
    await notifications.insertNew([byAda(1), byAda(6), byAda(11)])
    for (const [n, seconds] of order.entries()) await erase(erasure(n, ada, seconds))
    await notifications.insertNew([byAda(1), byAda(6), byAda(11)])
    const found = await list(bob)
    // The key may be cached from a previous round.
    states.push(found.map(({ actorId: _, actor: __, ...others }) => others))
    expect(found.map(({ actor }) => (actor as { name: string }).name)).toEqual(['Ada L.', '', ''])
    expect(found.map(({ updatedAt }) => updatedAt)).toEqual(
      ['11', '10', '10'].map((seconds) => `2126-01-01T00:00:${seconds}Z`),
    )
  }
  expect(states[1]).toEqual(states[0])
  expect(states[2]).toEqual(states[0])
})

test('tells when the last erasure of each subscriber was, for positions of streams', async () => {
  const others = Array.from({ length: 1_500 }, (_, n) => uuid(20_000 + n))
  const last = async () => [...(await erasures.lastErasedAt([...others, subscriberId]))]
  expect([await last(), await erasures.lastErasedAt([])]).toEqual([[], new Map()])
  await erasures.accept([erasure(1, ada, 5)])
  const [[subscriber, accepted] = []] = await last()
  expect(subscriber).toBe(subscriberId)
  expect(accepted).toMatch(/^82[0-9A-F]{16}FF$/)
  await workOff(erasures)
  const done = await last()
  expect(done).toHaveLength(1)
  expect(String(done[0]?.[1]) > String(accepted)).toBe(true)
})

test('a replay of a finished erasure does no work, and one that is accepted twice is done once', async () => {
  await erase(erasure(1, ada, 5), erasure(1, ada, 5))
  expect(await erase(erasure(1, ada, 5))).toEqual([])
})

test('storing new events looks for recent heads before and behind the insert, and examines none', async () => {
  await erase(erasure(1, ada, 5), erasure(2, uuid(9), 5))
  const fresh = Array.from({ length: 50 }, (_, n) => mention(100 + n))
  // One command looks for erasures, too.
  const lines = await examined('tombstones', () => notifications.insertNew(fresh))
  expect(lines.map(({ keys, documents }) => [keys <= 2, documents])).toEqual([
    [true, 0],
    [true, 0],
  ])
  const entries = await examined('erasures', () => changeEntries.insertNew([changeBy(bob, 100)]))
  expect(entries).toHaveLength(2)
  // An old one is searched once, by the persons in it.
  const old = await examined('erasures', () => notifications.insertNew([mention(1)]))
  expect(old.map(({ documents }) => documents)).toEqual([1])
})

test('a masked notification keeps its read state', async () => {
  await notifications.insertNew([byAda(1)])
  await feed(bob).markRead(byAda(1).id, at(3))
  await erase(erasure(1, ada, 10))
  const found = notificationIn(await feed(bob).get(byAda(1).id))
  expect(found).toMatchObject({ readAt: at(3), updatedAt: '2126-01-01T00:00:10Z' })
})
