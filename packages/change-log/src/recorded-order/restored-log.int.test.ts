import { subscriberId } from '@herald/mongo/testing'
import { ada, bob, erasure, workOff } from '@herald/persons/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Document } from 'mongodb'
import { changeBy } from '../documents/change-entry.fixture.ts'
import type { StoredChangeEntry } from '../documents/change-entry-document.ts'
import { createEmptyLog } from '../test-log.fixture.ts'
import { readOrder } from './recorded-order.fixture.ts'

const { store, database, collections, examined, migrate, close } = createEmptyLog()
beforeAll(migrate)
afterAll(close)
beforeEach(() => restore(new Map()))

const names = [...new Set(Object.values(collections).map(({ collectionName }) => collectionName))]

/** A copy of all collections. */
async function copy(): Promise<ReadonlyMap<string, Document[]>> {
  return new Map(
    await Promise.all(names.map(async (name) => [name, await database.collection(name).find().toArray()] as const)),
  )
}

async function restore(backup: ReadonlyMap<string, Document[]>): Promise<void> {
  for (const name of names) {
    await database.collection(name).deleteMany({})
    const documents = backup.get(name) ?? []
    if (documents.length > 0) await database.collection(name).insertMany(documents)
  }
}

const entries = (from: number, to: number, userId = bob) =>
  Array.from({ length: to - from }, (_, at) => changeBy(userId, from + at))

/** A sequencer runs until the log has so many leaves. */
async function sequenceTo(length: number): Promise<void> {
  await store.sequencer.work(
    async () => (await readOrder(collections, subscriberId)).length < length,
    () => {},
  )
}

async function record(stored: readonly StoredChangeEntry[]): Promise<void> {
  const { length } = await readOrder(collections, subscriberId)
  for (const entry of stored) await store.changeEntries.insertNew([entry])
  await sequenceTo(length + stored.length)
}

async function read(cursor?: string, limit = 100) {
  const page = await store.recordedLog.of(subscriberId).read({ limit, cursor })
  if (page.kind !== 'page') return { kind: page.kind, ids: [], cursor: '' }
  const { changeEntries, nextCursor } = JSON.parse(String(page.body)).data
  return { kind: page.kind, ids: changeEntries.map(({ id }: { id: string }) => id), cursor: nextCursor as string }
}

const idsOf = (stored: readonly StoredChangeEntry[]) => stored.map(({ id }) => id)

test('a cursor from before the fork goes on; one behind it, in or at the end of a page, has expired', async () => {
  const kept = entries(0, 30)
  await record(kept)
  const backup = await copy()
  const atFork = (await read()).cursor
  const withinKept = (await read(undefined, 7)).cursor
  const lost = entries(30, 60)
  await record(lost)
  const withinLost = (await read(atFork, 4)).cursor
  const atEnd = (await read(atFork)).cursor

  await restore(backup)
  expect([(await read(atFork)).kind, (await read(withinKept)).kind]).toEqual(['page', 'page'])
  expect([(await read(withinLost)).kind, (await read(atEnd)).kind]).toEqual(['cursor-expired', 'cursor-expired'])
  // As a rewound ingest stores them, and more.
  const regained = [...lost.toReversed(), ...entries(60, 70)]
  await record(regained)
  expect([(await read(withinLost)).kind, (await read(atEnd)).kind]).toEqual(['cursor-expired', 'cursor-expired'])
  expect((await read(atFork)).ids.toSorted()).toEqual(idsOf(regained).toSorted())
  expect((await read(withinKept)).ids.toSorted()).toEqual(idsOf([...kept.slice(7), ...regained]).toSorted())
})

test('the same leaf at the same index does not hide that others stand before it', async () => {
  await record(entries(0, 5, ada))
  const backup = await copy()
  const [one, two, three, four, five] = entries(5, 10) as [StoredChangeEntry, ...StoredChangeEntry[]]
  const eraseAda = async () => {
    await store.erasures.accept([erasure(1, ada, 100)])
    await workOff(store.erasures)
    await sequenceTo(10)
  }
  const lastLeaf = async () =>
    (await collections.logPages.find().sort({ first: -1 }).limit(1).next())?.leafHashes.toString('hex')
  await record([one, two, three, four] as StoredChangeEntry[])
  await eraseAda()
  const cursor = (await read()).cursor
  const leaf = await lastLeaf()

  await restore(backup)
  await record([two, one, five, three] as StoredChangeEntry[])
  await eraseAda()
  expect(await lastLeaf()).toBe(leaf)
  await record([four] as StoredChangeEntry[])
  expect((await read(cursor)).kind).toBe('cursor-expired')
})

test('an erasure changes no cursor, and checking one takes no further read of the order', async () => {
  await record(entries(0, 12, ada))
  const [within, atEnd] = [(await read(undefined, 5)).cursor, (await read()).cursor]
  await store.erasures.accept([erasure(2, ada, 100)])
  await workOff(store.erasures)
  await sequenceTo(13)
  expect((await read(within)).ids).toEqual(idsOf(entries(5, 12, ada)))
  const { cursor, kind } = await read(atEnd)
  expect(kind).toBe('page')
  const operations = await examined('log-pages', async () => expect((await read(cursor)).cursor).toBe(cursor))
  // The page before the cursor, pages behind it, and the end of the log.
  expect(operations).toHaveLength(3)
})
