import { randomUUID } from 'node:crypto'
import { noReadBudgets } from '@herald/mongo'
import { idAt, start, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { changeEntry, served } from '../documents/change-entry.fixture.ts'
import { collectionsOf, createTestLog, createWriters } from '../test-log.fixture.ts'
import { createChangeEntries } from './change-entries.ts'

const { uri, name, store, database, examined, migrate, close } = createTestLog({ profiled: true })
const subscribers = Array.from({ length: 9 }, () => randomUUID() as string)
const subscriber = (n: number) => subscribers[n] as string

const entry = (subscriberId: string, n: number) =>
  changeEntry({
    id: idAt(n),
    subscriberId,
    createdAt: new Date(start + n),
    afterState: '{"$set":1,"a.b":{"_bsontype":"Long"},"":[1.5,true,null]}',
  })

/** The steps of an export: small ones are one piece each. */
const readAll = async (subscriberId: string, step?: number) => {
  const steps: { readonly entityTitle: string }[][] = []
  for await (const lines of store.changeEntries.of(subscriberId).export({}, 'ndjson', step)) {
    steps.push(
      lines
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    )
  }
  return steps
}

beforeAll(migrate)
afterAll(close)

test('returns every entry of the subscriber unchanged, newest first, in steps, and none of another subscriber', async () => {
  const own = Array.from({ length: 25 }, (_, n) => entry(subscriber(1), n))
  await store.changeEntries.insertNew([...own, entry(subscriber(2), 3), entry(subscriber(3), 4)])
  const steps = await readAll(subscriber(1), 10)
  expect(steps.map((entries) => entries.length)).toEqual([4, 10, 10, 1])
  expect(steps.flat()).toEqual(own.toReversed().map(served))
  expect(await readAll(subscriber(2))).toEqual([[served(entry(subscriber(2), 3))]])
})

test('ends after a last step that is full', async () => {
  await store.changeEntries.insertNew([entry(subscriber(4), 1), entry(subscriber(4), 2)])
  expect((await readAll(subscriber(4), 2)).map((entries) => entries.length)).toEqual([2])
})

test('requests the next step before yielding the current one, so a busy reader does not delay it', async () => {
  await store.changeEntries.insertNew(Array.from({ length: 5 }, (_, n) => entry(subscriber(7), n)))
  const monitored = new MongoClient(uri, { monitorCommands: true })
  let finds = 0
  monitored.on('commandStarted', ({ commandName }) => {
    if (commandName === 'find') finds++
  })
  const collections = collectionsOf(monitored.db(name))
  const { of } = createChangeEntries({
    collection: collections.changeEntries,
    budgets: noReadBudgets,
    erasedPersons: createWriters(collections).erasedPersons,
  })
  const seen: number[] = []
  for await (const _ of of(subscriber(7)).export({}, 'ndjson', 2)) seen.push(finds)
  expect(seen).toEqual([2, 3, 3])
  await monitored.close()
})

test('counts an entry that is inserted again as a duplicate', async () => {
  await store.changeEntries.insertNew([entry(subscriber(5), 1)])
  const again = await store.changeEntries.insertNew([{ ...entry(subscriber(5), 1), entityTitle: 'Another' }])
  expect(again).toEqual({ inserted: 0, duplicates: 1, refused: [] })
  expect((await readAll(subscriber(5))).flat()[0]?.entityTitle).toBe('Portfolio')
})

test('a step examines its entries and at most two more', async () => {
  await store.changeEntries.insertNew(Array.from({ length: 50 }, (_, n) => entry(subscriber(6), n)))
  const lines = await examined('change-entries', () => readAll(subscriber(6), 20))
  expect(lines).toHaveLength(4)
  expect(Math.max(...lines.flatMap(({ keys, documents }) => [keys, documents]))).toBeLessThanOrEqual(22)
  expect(lines.some(({ sorted }) => sorted)).toBe(false)
})

test('an entry whose user MongoDB refuses to mask is refused, and the others are masked', async () => {
  const [refused, other] = [entry(subscriber(8), 1), entry(subscriber(8), 2)]
  await store.changeEntries.insertNew([{ ...refused, entityTitle: 'Refused' }, other])
  const { subscriberId, user } = refused
  await store.erasures.accept([{ subscriberId, eventId: uuid(80), time: new Date(start + 60_000), personId: user.id }])
  const validator = { $or: [{ userName: { $ne: '' } }, { entityTitle: { $ne: 'Refused' } }] }
  await database.command({ collMod: 'change-entries', validator })
  try {
    const reason = expect.stringContaining('DocumentValidationFailure')
    expect(await store.changeEntries.insertNew([refused, other])).toEqual({
      inserted: 0,
      duplicates: 2,
      refused: [{ document: refused, reason }],
    })
  } finally {
    await database.command({ collMod: 'change-entries', validator: {} })
  }
  const users = (await readAll(subscriber(8))).flat().map((one) => (one as unknown as typeof refused).user.name)
  expect(users).toEqual(['', user.name])
})
