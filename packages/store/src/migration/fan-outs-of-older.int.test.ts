import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { fanOutsIn, notificationsIn } from '../collections.ts'
import { clear, erasure, workOff } from '../erasures/erasures.fixture.ts'
import type { FanOutDocument } from '../fan-outs/fan-out-document.ts'
import { mention, retraction } from '../fan-outs/fan-outs.fixture.ts'
import { createInterceptor } from '../fan-outs/intercepted.fixture.ts'
import { createTestStore, pageIn, subscriberId, uuid } from '../store.fixture.ts'
import { createMissingFanOuts, foundRecipientsIn, migrationsIn } from './fan-outs-of-older.ts'

const { store, database, drop } = createTestStore('older-fan-outs')
const { notifications, retractions, erasures, missingFanOuts } = store

beforeAll(() => store.migrate())
afterAll(drop)
beforeEach(async () => {
  await clear(database)
  await database.collection('migrations').deleteMany({})
  await database.collection('fan-out-migration').deleteMany({})
})

const people = [2, 3, 4, 5].map(uuid)
const others = { subscriberId: uuid(8), recipientIds: [uuid(9)] }
const older = [
  ...[mention(1, { recipientIds: people }), mention(2, { recipientIds: people.slice(0, 1) }), mention(3)],
  ...[mention(4, { ...others }), mention(5, { recipientIds: people.slice(2), subjectId: uuid(2) })],
]

/** The fan-outs as this release writes them; afterwards the database is as an earlier one left it. */
async function storeAsEarlierRelease(): Promise<FanOutDocument[]> {
  await notifications.insertNew(older)
  const expected = await fanOuts()
  await fanOutsIn(database).deleteMany({})
  return expected
}

const fanOuts = () => fanOutsIn(database).find().sort({ _id: 1 }).toArray()
const idsOf = async (recipientId: string) => {
  const feed = notifications.of({ subscriberId, recipientId })
  return pageIn(await feed.list({ limit: 100, status: 'all' })).notifications.map(({ id }) => id)
}

async function runAll(migration = missingFanOuts) {
  const steps = [await migration.step()]
  while (steps.at(-1)?.phase !== 'done') steps.push(await migration.step())
  return steps
}

test('writes the fan-outs that this release would have written, with nothing due', async () => {
  const expected = await storeAsEarlierRelease()
  expect(await missingFanOuts.isOutstanding()).toBe(true)
  expect(await runAll()).toEqual([
    { phase: 'writing', count: 0 },
    { phase: 'writing', count: 5 },
    { phase: 'done', count: 5 },
  ])
  expect(await fanOuts()).toEqual(expected)
  expect(await missingFanOuts.isOutstanding()).toBe(false)
  expect(await database.listCollections({ name: 'fan-out-migration' }).toArray()).toEqual([])
  expect(await runAll()).toEqual([{ phase: 'done', count: 5 }])
})

test('leaves fan-outs of this release as they are', async () => {
  await storeAsEarlierRelease()
  const fresh = mention(9, { recipientIds: people })
  await notifications.insertNew([fresh])
  await retractions.apply([retraction(1, { notificationId: fresh.id }, { recipientIds: people.slice(0, 2) })])
  const [before] = await fanOuts()
  await runAll()
  expect((await fanOuts()).find(({ _id }) => _id.toString('hex') === before?._id.toString('hex'))).toEqual(before)
})

test('what was stored earlier can then be retracted and erased, also by what arrived before', async () => {
  await storeAsEarlierRelease()
  const [first, second, third, , fifth] = older
  await retractions.apply([retraction(1, { notificationId: first?.id as string }, { recipientIds: [uuid(3)] })])
  await erasures.accept([erasure(1, uuid(2), 100)])
  await workOff(erasures)
  expect(await idsOf(uuid(3))).toContain(first?.id)
  await runAll()
  expect(await idsOf(uuid(3))).toEqual([third?.id])
  expect(await idsOf(uuid(2))).toEqual([])
  const [found] = pageIn(
    await notifications.of({ subscriberId, recipientId: uuid(4) }).list({ limit: 10, status: 'all' }),
  ).notifications as unknown as { id: string; subjectId: string }[]
  expect([found?.id, found?.subjectId === uuid(2)]).toEqual([fifth?.id, false])
  await retractions.apply([retraction(2, { locationType: 'comment', locationId: second?.locationId as string })])
  for (const recipient of people) expect(await idsOf(recipient)).toEqual([])
})

test('ends in the same state if it is killed at any operation and run again, in small steps', async () => {
  const expected = await storeAsEarlierRelease()
  const start = (killAt = Number.POSITIVE_INFINITY, when = 'before') => {
    const { wrap, operations } = createInterceptor(async (operation, now) => {
      if (operation > killAt || (operation === killAt && now === when)) throw new Error('killed')
    })
    const migration = createMissingFanOuts({
      migrations: wrap(migrationsIn(database)),
      found: wrap(foundRecipientsIn(database)),
      notifications: wrap(notificationsIn(database)),
      fanOuts: wrap(fanOutsIn(database)),
      applyTombstones: async () => {},
      documentsPerStep: 3,
    })
    return { migration, operations }
  }
  const undisturbed = start()
  await runAll(undisturbed.migration)
  expect(await fanOuts()).toEqual(expected)
  for (let operation = 1; operation <= undisturbed.operations(); operation++) {
    for (const when of ['before', 'after']) {
      await fanOutsIn(database).deleteMany({})
      await database.collection('migrations').deleteMany({})
      await expect(runAll(start(operation, when).migration)).rejects.toThrow()
      await runAll(start().migration)
      expect({ operation, when, found: await fanOuts() }).toEqual({ operation, when, found: expected })
    }
  }
}, 60_000)

test('a database without notifications has nothing to migrate', async () => {
  await store.migrate()
  expect(await missingFanOuts.isOutstanding()).toBe(false)
  await storeAsEarlierRelease()
  await database.collection('migrations').deleteMany({})
  await store.migrate()
  expect(await missingFanOuts.isOutstanding()).toBe(true)
})
