import { makeUuidV7 } from '@herald/contracts'
import { someFromTo } from '@herald/jest-preset/full-run'
import { createInterceptor, type Intercept, subscriberId } from '@herald/mongo/testing'
import { ada, bob, clear, erasure, workOff } from '@herald/persons/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createChangeEntries } from '../change-entries/change-entries.ts'
import { changeBy } from '../documents/change-entry.fixture.ts'
import type { StoredChangeEntry } from '../documents/change-entry-document.ts'
import { createEmptyLog, createWriters } from '../test-log.fixture.ts'
import { readOrder, userHashOf } from './recorded-order.fixture.ts'
import { createSequencer } from './sequencer.ts'

const { store, database, collections, migrate, close } = createEmptyLog()
beforeAll(migrate)
afterAll(close)
beforeEach(async () => {
  await clear(database)
  for (const name of ['log-pages', 'log-state']) await database.collection(name).deleteMany({})
})

const dropped = Buffer.alloc(32)

/** A sequencer whose operations on MongoDB are intercepted. */
function startProcess(intercept?: Intercept) {
  const { wrap, operations } = createInterceptor(intercept)
  const wrapped = wrap(collections)
  const { erasedPersons } = createWriters(wrapped)
  const changeEntries = createChangeEntries({ collection: wrapped.changeEntries, erasedPersons } as never)
  const options = { now: () => new Date(), saveEveryMs: 0, maxAwaitTimeMS: 50, collectMs: 0 }
  const sequencer = createSequencer({ ...wrapped, erasedPersons, watching: database, ...options })
  return { sequencer, changeEntries, operations }
}

/** A comparison appends erasures after all entries. */
const isComparing = async () => (await collections.logState.countDocuments({ comparison: { $exists: true } })) > 0

/** Runs until the order contains everything that was stored when it was called. */
async function runToEnd({ sequencer } = startProcess()): Promise<void> {
  const marker = { ...changeBy(bob, 9_000), id: crypto.randomUUID() }
  await store.changeEntries.insertNew([marker])
  const isAtEnd = async () =>
    (await readOrder(collections, subscriberId)).ids.includes(marker.id) && !(await isComparing())
  await sequencer.work(
    async () => !(await isAtEnd()),
    () => {},
  )
}

const erase = async (n: number, personId: string, seconds: number) => {
  await store.erasures.accept([erasure(n, personId, seconds)])
  await workOff(store.erasures)
}

/** Every user hash fits the stored user, except those of entries that exactly one erasure names, whose salt is gone. */
async function check() {
  const order = await readOrder(collections, subscriberId)
  const body = JSON.parse(String(await store.changeEntries.of(subscriberId).list({}, 100)))
  const users = new Map(body.data.changeEntries.map((entry: { id: string; user: object }) => [entry.id, entry.user]))
  const named = order.erasures.flatMap(({ leafIndexes }) =>
    leafIndexes.flatMap(([from, to]) => Array.from({ length: to - from }, (_, offset) => from + offset)),
  )
  expect(new Set(named).size).toBe(named.length)
  const erased = order.entries.filter(({ id, userSalt, userHash }) => {
    if (userSalt.equals(dropped)) return true
    expect(userHashOf(userSalt, users.get(id) as never)).toEqual(userHash)
    return false
  })
  expect(erased.map(({ index }) => index)).toEqual(named.toSorted((one, other) => one - other))
  expect(new Set(order.ids).size).toBe(order.ids.length)
  expect([...users.keys()].filter((id) => !order.ids.includes(id as string))).toEqual([])
  return order
}

const changes = [
  changeBy(ada, 1),
  changeBy(bob, 2),
  changeBy(ada, 3),
  changeBy(ada, 4),
  changeBy(bob, 5),
  changeBy(ada, 20),
]
const idOf = ({ id }: StoredChangeEntry) => id
const withRandomId = (entry: StoredChangeEntry) => ({
  ...entry,
  id: makeUuidV7(entry.createdAt.getTime(), Buffer.from(crypto.randomUUID())),
})
/** The ids of the entries that the n-th erasure of the order names. */
const namedIds = ({ entries, erasures }: Awaited<ReturnType<typeof readOrder>>, n = 0) =>
  entries
    .filter(({ index }) => erasures[n]?.leafIndexes.some(([from, to]) => from <= index && index < to))
    .map(({ id }) => id)

test('an erasure is a leaf that names exactly the entries whose user it took, and their user salts go', async () => {
  await store.changeEntries.insertNew(changes)
  await runToEnd()
  await erase(1, ada, 10)
  await runToEnd()
  const order = await check()
  expect(order.erasures).toMatchObject([{ eventId: erasure(1, ada, 10).eventId }])
  expect(namedIds(order).toSorted()).toEqual([changes[0], changes[2], changes[3]].map((entry) => idOf(entry as never)))
  await runToEnd()
  expect((await check()).erasures).toHaveLength(1)
})

test.each([
  ['few among many', 1],
  ['many, whose ids are in another order than their indexes', 1_500],
])('it names all of %s', async (_, count) => {
  const ofAda = Array.from({ length: count }, (_, n) => withRandomId(changeBy(ada, n % 3)))
  const ofBob = Array.from({ length: 2_600 - count }, (_, n) => withRandomId(changeBy(bob, n % 3)))
  const stored = [...ofAda, ...ofBob].toSorted((one, other) => (one.id.slice(-12) < other.id.slice(-12) ? -1 : 1))
  for (let from = 0; from < stored.length; from += 300) {
    await store.changeEntries.insertNew(stored.slice(from, from + 300))
    await runToEnd()
  }
  await erase(1, ada, 10)
  await runToEnd()
  const order = await readOrder(collections, subscriberId)
  expect(namedIds(order).toSorted()).toEqual(ofAda.map(idOf).toSorted())
  expect(order.entries.filter(({ userSalt }) => userSalt.equals(dropped))).toHaveLength(count)
})

test('what was erased before it got its index is hashed as it is stored', async () => {
  await store.changeEntries.insertNew(changes.slice(0, 3))
  await erase(1, ada, 10)
  await store.changeEntries.insertNew(changes)
  await runToEnd()
  expect((await check()).erasures).toEqual([])
})

test('of two erasures of a person, the second names what the first has left', async () => {
  await store.changeEntries.insertNew(changes)
  await runToEnd()
  await erase(1, ada, 3)
  await erase(2, ada, 30)
  await runToEnd()
  const order = await check()
  expect([namedIds(order, 0).length, namedIds(order, 1).length]).toEqual([2, 2])
})

test('an erasure whose work is not done has no leaf', async () => {
  await store.changeEntries.insertNew(changes)
  await runToEnd()
  await store.erasures.accept([erasure(1, ada, 10)])
  const [open] = await store.erasures.open()
  while ((await store.erasures.step(open as never))?.phase !== 'changes');
  await runToEnd()
  expect((await readOrder(collections, subscriberId)).erasures).toEqual([])
  await workOff(store.erasures)
  await runToEnd()
  expect((await check()).erasures).toHaveLength(1)
})

test('a writer that was killed before its second look leaves no user who was erased before', async () => {
  let isErased = false
  const dying = startProcess(async (_, when, command) => {
    if (command !== 'insert') return
    if (when === 'after') throw new Error('Killed')
    if (!isErased) await erase(1, ada, 10)
    isErased = true
  })
  await expect(dying.changeEntries.insertNew(changes)).rejects.toThrow()
  await runToEnd()
  expect((await check()).erasures).toEqual([])
  expect(await collections.changeEntries.countDocuments({ userName: 'Ada' })).toBeGreaterThan(0)
})

test('erasures done while the position was lost are leaves too', async () => {
  await store.changeEntries.insertNew(changes)
  await runToEnd()
  await erase(1, ada, 10)
  await collections.logState.deleteMany({})
  await runToEnd()
  expect((await check()).erasures).toHaveLength(1)
})

describe('killed, or overtaken by another one, around each of its operations', () => {
  const prepare = async () => {
    await clear(database)
    for (const name of ['log-pages', 'log-state']) await database.collection(name).deleteMany({})
    await store.changeEntries.insertNew(changes)
    await runToEnd()
    await erase(1, ada, 3)
    await store.changeEntries.insertNew([changeBy(bob, 6), changeBy(ada, 7)])
  }
  async function expectWhole() {
    await runToEnd()
    const order = await check()
    expect(order.erasures).toHaveLength(1)
    expect(namedIds(order)).toHaveLength(2)
  }
  async function operationsOfOneRun() {
    await prepare()
    const process = startProcess()
    await runToEnd(process)
    expect(process.operations()).toBeGreaterThan(10)
    return process.operations()
  }

  test('one that is killed before any of its operations leaves nothing that the next one does not repair', async () => {
    const operations = await operationsOfOneRun()
    for (const at of someFromTo(1, operations, 3)) {
      await prepare()
      const dying = startProcess(async (operation, when) => {
        if (operation >= at && when === 'before') throw new Error('Killed')
      })
      await runToEnd(dying).catch(() => {})
      await expectWhole()
    }
  })

  test('one that another overtakes before any of its operations changes nothing', async () => {
    const operations = await operationsOfOneRun()
    for (const at of someFromTo(1, operations, 3)) {
      await prepare()
      const slow = startProcess(async (operation, when) => {
        if (operation === at && when === 'before') await runToEnd()
      })
      await runToEnd(slow)
      await expectWhole()
    }
  })
})
