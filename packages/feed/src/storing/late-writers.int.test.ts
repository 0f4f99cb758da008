import { insertWithinMs, StorageUnavailableError } from '@herald/mongo'
import { at, createInterceptor, createTestClock, subscriberId, uuid } from '@herald/mongo/testing'
import { ada, clear, erasure, findTraces, workOff } from '@herald/persons/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { NewNotification } from '../documents/notification-document.ts'
import { pageIn } from '../new-notification.fixture.ts'
import { byAda, mention, retraction } from '../retractions/fan-outs.fixture.ts'
import { createEmptyFeed, createWriters } from '../test-feed.fixture.ts'

const { store, database, collections, migrate, close } = createEmptyFeed()
const { notifications, erasures, retractions, unfinished } = store
beforeAll(migrate)
afterAll(close)
beforeEach(() => clear(database))

const [eve, bob] = [uuid(2), uuid(3)]
const minutes = (count: number) => new Date(Date.now() + count * 60_000)
const idsOf = async (recipientId: string) => {
  const page = await notifications.of({ subscriberId, recipientId }).list({ limit: 100, status: 'all' })
  return pageIn(page).notifications.map(({ id }) => id)
}

/** A writer that is frozen before its notifications are sent. Once it wakes up they are stored, and it is killed. */
async function freezeWriter(given: NewNotification, clock = createTestClock().clock) {
  const [isFrozen, isAwake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const isKilled = Promise.withResolvers<void>()
  let inserts = 0
  const { wrap } = createInterceptor(async (_, when, name) => {
    if (when === 'after') return
    if (inserts === 2) {
      isKilled.resolve()
      return new Promise(() => {})
    }
    // The first one inserts its fan-out.
    if (name !== 'insert' || ++inserts === 1) return
    isFrozen.resolve()
    await isAwake.promise
  })
  const writing = createWriters(wrap(collections), { clock }).insertNew([given])
  await isFrozen.promise
  return {
    writing,
    async wakeAndKill() {
      isAwake.resolve()
      await isKilled.promise
    },
  }
}

const lookAgain = async (time: Date) => {
  while (await erasures.lookAgain(time, async () => true));
}

test('an erased feed that a frozen process writes to is erased once more', async () => {
  const given = mention(1, { recipientIds: [eve, bob] })
  const writer = await freezeWriter(given)
  await notifications.insertNew([given])
  await erasures.accept([erasure(1, eve, 10)])
  await workOff(erasures)
  expect(await findTraces(database, { ids: [eve], texts: [] })).toEqual([])
  await writer.wakeAndKill()
  expect(await idsOf(eve)).toEqual([given.id])

  await lookAgain(minutes(14))
  expect(await idsOf(eve)).toEqual([given.id])
  await lookAgain(minutes(16))
  expect([await idsOf(eve), await idsOf(bob)]).toEqual([[], [given.id]])
  expect(await findTraces(database, { ids: [eve], texts: [] })).toEqual([])
  expect(await database.collection('erasures').countDocuments({ sealedId: { $exists: true } })).toBe(0)
})

test.each([
  ['by id', { notificationId: mention(1).id }],
  ['by location', { locationType: 'comment', locationId: uuid(92) }],
])('what was retracted %s and a frozen process writes is retracted once more', async (_, target) => {
  const given = mention(1)
  const writer = await freezeWriter(given)
  await notifications.insertNew([given])
  await retractions.apply([retraction(1, target)])
  expect(await idsOf(eve)).toEqual([])
  await writer.wakeAndKill()
  expect(await idsOf(eve)).toEqual([given.id])

  const done = { finished: 0, refused: [], again: 0 }
  expect(await unfinished.finish(minutes(14))).toEqual(done)
  expect(await unfinished.finish(minutes(16))).toEqual({ ...done, again: 1 })
  expect([await idsOf(eve), await idsOf(bob)]).toEqual([[], []])
  expect(await unfinished.finish(minutes(60))).toEqual(done)
  expect(await database.collection('tombstones').countDocuments({ dueAt: { $exists: true } })).toBe(0)
})

test.each([
  ['author', byAda(1)],
  ['subject', mention(1, { subjectId: ada, recipientIds: [bob] })],
])('a request whose %s is erased while its process is frozen is masked when it is finished', async (_, given) => {
  const writer = await freezeWriter({ ...given, via: 'http', finishBy: at(60) })
  await erasures.accept([erasure(1, ada, 10)])
  await workOff(erasures)
  await writer.wakeAndKill()
  expect(await findTraces(database, { ids: [ada], texts: [] })).toContain('notifications')

  expect(await unfinished.finish(at(60))).toEqual({ finished: 1, refused: [], again: 0 })
  expect(await findTraces(database, { ids: [ada], texts: ['Ada L.'] })).toEqual([])
  expect(await idsOf(bob)).toEqual([given.id])
})

/** A process that is frozen before it reserves a request of Ada, and wakes up after her erasure. */
async function reserveLate(frozenForMs: number) {
  const { clock, pass } = createTestClock()
  const [isFrozen, isAwake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { wrap } = createInterceptor(async (_, when, name) => {
    if (when === 'after' || name !== 'insertOne') return
    isFrozen.resolve()
    await isAwake.promise
  })
  const { createRequests } = createWriters(wrap(collections, ['createRequests']), { clock })
  const key = { subscriberId, userId: ada, idempotencyKey: 'k' }
  const reserved = createRequests.reserve(key, Buffer.alloc(32), byAda(1), new Date())
  await isFrozen.promise
  await erasures.accept([erasure(1, ada, 10, { time: minutes(1) })])
  await workOff(erasures)
  pass(frozenForMs)
  isAwake.resolve()
  return reserved
}
const named = { ids: [], texts: ['Ada L.'] }

test('a request that a frozen process reserves for an erased author is erased once more', async () => {
  expect(await reserveLate(insertWithinMs)).toMatchObject({ kind: 'reserved' })
  expect(await findTraces(database, named)).toEqual(['create-requests'])
  await lookAgain(minutes(16))
  expect(await findTraces(database, named)).toEqual([])
})

test('a process that was frozen for longer reserves no request', async () => {
  await expect(reserveLate(insertWithinMs + 1)).rejects.toThrow('is not written any more')
  expect(await findTraces(database, named)).toEqual([])
})

test('a process that was frozen for longer sends nothing that it prepared before', async () => {
  const { clock, pass } = createTestClock()
  const writer = await freezeWriter(mention(1), clock)
  const outcome = expect(writer.writing).rejects.toThrow(StorageUnavailableError)
  pass(insertWithinMs + 1)
  void writer.wakeAndKill()
  await outcome
  expect(await idsOf(eve)).toEqual([])
})
