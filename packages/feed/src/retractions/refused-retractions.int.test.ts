import { at, createInterceptor, createTestClock, subscriberId, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { BSON } from 'mongodb'
import { pageIn } from '../new-notification.fixture.ts'
import { createEmptyFeed, createWriters } from '../test-feed.fixture.ts'
import { mention, retraction } from './fan-outs.fixture.ts'

const { store, database, collections, migrate, close } = createEmptyFeed()
const { notifications, retractions, unfinished } = store
beforeAll(migrate)
afterAll(close)
beforeEach(async () => {
  for (const name of ['notifications', 'fan-outs', 'tombstones']) await database.collection(name).deleteMany({})
})

const maxBytes = 16 * 1024 * 1024
const [full, other] = [mention(1), mention(2)]
const byId = (given: typeof full) => ({ notificationId: given.id })

/** Stores both, and fills the fan-out of the first up to MongoDB's limit. */
async function storeFull(): Promise<void> {
  await notifications.insertNew([full, other])
  const [fanOut = {}] = await collections.fanOuts.find().sort({ _id: 1 }).toArray()
  const padding = 'x'.repeat(maxBytes - BSON.calculateObjectSize({ ...fanOut, padding: '' }))
  await database.collection('fan-outs').updateOne({ createdAt: full.createdAt }, { $set: { padding } })
}

const idsOf = async (recipientId: string) => {
  const page = pageIn(await notifications.of({ subscriberId, recipientId }).list({ limit: 100, status: 'all' }))
  return page.notifications.map(({ id }) => id)
}

const tooLarge = expect.stringMatching(/large/i)

test('a retraction that MongoDB refuses to note is refused, and the others of its chunk are done', async () => {
  await storeFull()
  const [first, second] = [retraction(1, byId(full)), retraction(2, byId(other), { recipientIds: [uuid(2)] })]
  expect(await retractions.apply([first, second])).toEqual({ refused: [{ document: first, reason: tooLarge }] })
  // The notifications are deleted all the same.
  expect([await idsOf(uuid(2)), await idsOf(uuid(3))]).toEqual([[], [other.id]])
  // A replay tries again.
  expect(await retractions.apply([first, second])).toEqual({ refused: [{ document: first, reason: tooLarge }] })
})

test('so is one by location', async () => {
  await storeFull()
  const { locationType, locationId } = full
  const given = retraction(1, { locationType, locationId })
  expect(await retractions.apply([given])).toEqual({ refused: [{ document: given, reason: tooLarge }] })
  expect(await idsOf(uuid(2))).toEqual([])
})

test('however long it takes, the others are done, because a retry would take as long again', async () => {
  await storeFull()
  const { clock, pass } = createTestClock()
  const { wrap } = createInterceptor(async (_, when) => {
    if (when === 'after') pass(21_000)
  })
  const slow = createWriters(wrap(collections, ['notifications']), { clock })
  const { locationType, locationId } = full
  const given = [retraction(1, byId(full)), retraction(2, { locationType, locationId })]
  expect(await slow.retractions.apply(given)).toEqual({
    refused: given.map((document) => ({ document, reason: tooLarge })),
  })
  expect([await idsOf(uuid(2)), await idsOf(uuid(3))]).toEqual([[], []])
})

test('a notification that was retracted before is refused if that cannot be noted', async () => {
  await storeFull()
  await retractions.apply([retraction(1, byId(full))])
  const { refused, created } = await notifications.insertNew([full, other])
  expect(refused).toEqual([{ document: full, reason: tooLarge }])
  expect(created.items).toEqual([])
  expect(await idsOf(uuid(2))).toEqual([other.id])
})

test('a request that cannot be finished is not tried for ever', async () => {
  await storeFull()
  await retractions.apply([retraction(1, byId(full), { finishBy: at(10) })])
  await collections.tombstones.updateOne({ time: { $exists: true } }, { $set: { dueAt: at(10) } })
  expect(await unfinished.finish(at(20))).toEqual({ finished: 0, refused: [tooLarge], again: 0 })
  expect(await unfinished.finish(at(20))).toEqual({ finished: 0, refused: [], again: 0 })
})

test('retractions of one notification that come to more than 1 MiB are refused, those of others and stored ones are not', async () => {
  const recipientIds = Array.from({ length: 10_000 }, (_, n) => uuid(100 + n))
  const many = Array.from({ length: 7 }, (_, n) => retraction(n, byId(full), { recipientIds }))
  const last = many.at(-1)
  expect(await retractions.apply(many)).toEqual({
    refused: [{ document: last, reason: 'The retractions of this notification or location have 1 MiB already' }],
  })
  expect(await retractions.apply([...many, retraction(200, byId(other))])).toMatchObject({
    refused: [{ document: last }],
  })
  expect(await collections.tombstones.countDocuments({ target: { $exists: true } })).toBe(7)
  await notifications.insertNew([full, other])
  expect([await idsOf(uuid(2)), await idsOf(uuid(3))]).toEqual([[full.id], [full.id]])
})

test.each([
  ['notification', byId(full)],
  ['location', { locationType: full.locationType, locationId: full.locationId }],
])('one from everyone is never refused, and takes the place of all that a full %s has', async (_name, target) => {
  await notifications.insertNew([full])
  const recipientIds = Array.from({ length: 10_000 }, (_, n) => uuid(100 + n))
  const junk = Array.from({ length: 6 }, (_, n) => retraction(n, target, { recipientIds }))
  expect(await retractions.apply(junk)).toEqual({ refused: [] })
  const rest = retraction(7, target, { recipientIds: recipientIds.slice(0, 5_420) })
  expect(await retractions.apply([rest])).toEqual({ refused: [] })
  expect((await retractions.apply([retraction(8, target, { recipientIds: [uuid(2)] })])).refused).toHaveLength(1)
  expect(await retractions.apply([retraction(8, target)])).toEqual({ refused: [] })
  expect(await idsOf(uuid(2))).toEqual([])
  expect(await collections.tombstones.countDocuments({ target: { $exists: true } })).toBe(1)
  expect(await retractions.apply([...junk, retraction(8, target)])).toEqual({ refused: [] })
})
