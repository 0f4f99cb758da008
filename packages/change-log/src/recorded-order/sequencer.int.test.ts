import { randomUUID } from 'node:crypto'
import { timeOfUuidV7 } from '@herald/contracts'
import { toKey } from '@herald/mongo'
import { idAt } from '@herald/mongo/testing'
import { entryLeafData, hashLeaf } from '@herald/sealed-log'
import { eventually } from '@herald/test-servers'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { changeEntry, served } from '../documents/change-entry.fixture.ts'
import type { StoredChangeEntry } from '../documents/change-entry-document.ts'
import type { EntryPage } from '../documents/log-page-document.ts'
import { createEmptyLog, openLog } from '../test-log.fixture.ts'
import { readOrder, runSequencer, userHashOf, waitForLength } from './recorded-order.fixture.ts'

const { store, uri, name, collections, migrate, close } = createEmptyLog()
const other = openLog({ uri, database: name, applicationName: 'test' })
const running = new Set<ReturnType<typeof runSequencer>>()
const start = (of = store) => {
  const sequencer = runSequencer(of.sequencer)
  running.add(sequencer)
  return sequencer
}

beforeAll(migrate)
afterEach(async () => {
  for (const sequencer of running) {
    await sequencer.stop()
    expect(sequencer.errors).toEqual([])
  }
  running.clear()
})
afterAll(async () => {
  await other.close()
  await close()
})

let created = 0
/** Entries of a subscriber; the n-th of all tests is n milliseconds after the start. */
function entriesOf(subscriberId: string, count: number, at: (n: number) => string = (n) => idAt(10_000_000 + n, n)) {
  return Array.from({ length: count }, (): StoredChangeEntry => {
    const id = at(++created)
    return changeEntry({ id, subscriberId, createdAt: new Date(timeOfUuidV7(id) ?? 0) })
  })
}
const storeAll = async (entries: readonly StoredChangeEntry[]) => {
  for (let from = 0; from < entries.length; from += 500)
    await store.changeEntries.insertNew(entries.slice(from, from + 500))
}
const idsOf = (entries: readonly StoredChangeEntry[]) => entries.map(({ id }) => id)

test('entries that were stored before the first start come first, in pages, and later ones behind them, however late', async () => {
  const subscriberId = randomUUID()
  const before = entriesOf(subscriberId, 2_500)
  await storeAll(before)
  start()
  expect((await waitForLength(collections, subscriberId, 2_500)).ids).toEqual(idsOf(before))
  expect((await collections.logPages.find({ ids: { $exists: true } }).toArray()).map(({ count }) => count)).toEqual([
    1_000, 1_000, 500,
  ])
  const now = entriesOf(subscriberId, 3)
  await storeAll(now)
  await waitForLength(collections, subscriberId, 2_503)
  const hourOld = entriesOf(subscriberId, 2, (n) => idAt(n, n))
  await storeAll(hourOld)
  const { ids } = await waitForLength(collections, subscriberId, 2_505)
  expect(ids.slice(2_500, 2_503).toSorted()).toEqual(idsOf(now).toSorted())
  expect(ids.slice(2_503).toSorted()).toEqual(idsOf(hourOld).toSorted())
})

test('each entry is hashed as it is stored, with salts of its own', async () => {
  const subscriberId = randomUUID()
  const state = { afterState: '{"b":1.0,"a":[9007199254740993,-0,"é"]}' }
  const entries = entriesOf(subscriberId, 3).map((entry) => ({ ...entry, ...state }))
  await storeAll(entries)
  start()
  const order = await waitForLength(collections, subscriberId, 3)
  const pages = (await collections.logPages.find({ ids: { $exists: true } }).toArray()) as EntryPage[]
  const salts = new Set<string>()
  for (const { index, id, userSalt, userHash } of order.entries) {
    const entry = served(entries.find((stored) => stored.id === id) as StoredChangeEntry)
    expect(userHash).toEqual(userHashOf(userSalt, entry.user))
    const page = pages.find(
      (one) =>
        one._id.toString('hex').startsWith(subscriberId.replaceAll('-', '')) &&
        one.first <= index &&
        index < one.first + one.count,
    )
    const at = (field: 'salts' | 'leafHashes') =>
      Buffer.from(page?.[field].buffer ?? [])
        .subarray((index - (page?.first ?? 0)) * 32)
        .subarray(0, 32)
    expect(at('leafHashes')).toEqual(hashLeaf(entryLeafData({ salt: at('salts'), userHash, entry })))
    salts.add(at('salts').toString('hex')).add(userSalt.toString('hex'))
  }
  expect(salts.size).toBe(6)
})

test('two at once, and one that starts in between, assign each entry one index', async () => {
  const subscribers = Array.from({ length: 5 }, () => randomUUID())
  const before = subscribers.flatMap((subscriberId) => entriesOf(subscriberId, 700))
  await storeAll(before)
  start()
  start(other)
  const during = subscribers.flatMap((subscriberId) => entriesOf(subscriberId, 1_300))
  const mixed = during.toSorted((one, another) => one.id.slice(-4).localeCompare(another.id.slice(-4)))
  await Promise.all([0, 1, 2].map((part) => storeAll(mixed.filter((_, at) => at % 3 === part))))
  start()
  for (const subscriberId of subscribers) {
    const { ids } = await waitForLength(collections, subscriberId, 2_000)
    const stored = [...before, ...during].filter((entry) => entry.subscriberId === subscriberId)
    expect(ids.toSorted()).toEqual(idsOf(stored).toSorted())
  }
})

test('after its position was lost, it appends what it has missed, once', async () => {
  const subscriberId = randomUUID()
  await storeAll(entriesOf(subscriberId, 5))
  const first = start()
  await waitForLength(collections, subscriberId, 5)
  await first.stop()
  await storeAll(entriesOf(subscriberId, 1_700))
  const last = await collections.logPages
    .find({ position: { $exists: true } })
    .sort({ position: -1 })
    .limit(1)
    .next()
  const never = last?.position?.replace(/....0004$/, 'FFFF0004')
  expect(never).not.toBe(last?.position)
  await collections.logState.updateOne({ _id: 'order' }, { $set: { position: never as string } })
  start()
  await storeAll(entriesOf(subscriberId, 10))
  const { ids, length } = await waitForLength(collections, subscriberId, 1_715)
  expect([length, new Set(ids).size]).toEqual([1_715, 1_715])
})

test('nothing is appended twice if what was appended is forgotten', async () => {
  const subscriberId = randomUUID()
  const entries = entriesOf(subscriberId, 1_200)
  await storeAll(entries)
  const first = start()
  await waitForLength(collections, subscriberId, 1_200)
  await first.stop()
  await collections.logState.deleteMany({})
  start()
  const more = entriesOf(subscriberId, 1)
  await storeAll(more)
  const order = await waitForLength(collections, subscriberId, 1_201)
  expect(order.ids.toSorted()).toEqual(idsOf([...entries, ...more]).toSorted())
})

test('an entry that is gone before it has an index is left out', async () => {
  const subscriberId = randomUUID()
  const [gone, kept] = entriesOf(subscriberId, 2)
  if (gone === undefined || kept === undefined) throw new Error('Two entries')
  await storeAll([gone])
  await collections.changeEntries.deleteOne({ _id: toKey(subscriberId, gone.id) })
  await storeAll([kept])
  start()
  expect((await waitForLength(collections, subscriberId, 1)).ids).toEqual([kept.id])
  expect((await readOrder(collections, subscriberId)).length).toBe(1)
})

test('the level advances while nothing is stored', async () => {
  start()
  const levelAt = async () => (await collections.logState.findOne({ _id: 'order' }))?.levelAt?.getTime() ?? 0
  const first = await eventually(levelAt)
  await eventually(async () => (await levelAt()) >= first + 2_000)
})
