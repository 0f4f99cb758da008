import { usually } from '@herald/jest-preset/full-run'
import { toIndexKey } from '@herald/mongo'
import { at, uuid } from '@herald/mongo/testing'
import { formatVerifierKey, publicKeyOf } from '@herald/sealed-log'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Binary } from 'mongodb'
import type { LogPageDocument } from '../documents/log-page-document.ts'
import { createConflicts } from '../sealing/conflicts.ts'
import { createSealingState } from '../sealing/sealing-state.ts'
import { createEmptyLog } from '../test-log.fixture.ts'

const { store, collections, examined, migrate, close } = createEmptyLog()
const { logPages, logState, logCheckpoints } = collections
beforeAll(migrate)
afterAll(close)

type Page = { readonly subscriber: number; readonly first?: number; readonly count?: number; readonly second: number }

function pageOf({ subscriber, first = 0, count = 1, second }: Page) {
  const page = { _id: toIndexKey(uuid(subscriber), first), v: 1, first, count, recordedAt: at(second), ids: [] }
  return page as unknown as LogPageDocument
}
const insertPages = (pages: readonly Page[]) => logPages.insertMany(pages.map(pageOf))

const insertCheckpoint = (subscriber: number, size: number, second: number, note?: string) =>
  logCheckpoints.insertOne({
    _id: toIndexKey(uuid(subscriber), size),
    v: 1,
    root: new Binary(Buffer.alloc(32)),
    sealedAt: at(second),
    ...(note !== undefined && { note }),
  })

test('there is nothing to show before a sequencer has run', async () => {
  expect(await store.readLogStatus({ limit: 10 })).toEqual({
    orderLagSeconds: undefined,
    sealing: undefined,
    stopped: 0,
    logs: [],
  })
})

const [key, earlier] = [Buffer.alloc(32, 2), Buffer.alloc(32, 1)]
const verifierKeys = (subscriber: number) =>
  [key, earlier].map((one) => formatVerifierKey(`log.example.com/${uuid(subscriber)}`, publicKeyOf(one)))

test('shows how far the newest logs are sealed, and which one is stopped', async () => {
  await createSealingState(logState, logCheckpoints).note({ origin: 'log.example.com', keys: [key, earlier] })
  await insertPages([
    { subscriber: 1, count: 5, second: 1 },
    { subscriber: 3, count: 2, second: 2 },
    { subscriber: 2, count: 10, second: 3 },
    { subscriber: 2, first: 10, count: 20, second: 4 },
    { subscriber: 4, second: 5 },
    { subscriber: 2, first: 30, second: 6 },
  ])
  await insertCheckpoint(2, 5, 3, 'a note')
  await insertCheckpoint(2, 30, 5, 'a note')
  // One that is not signed yet seals nothing.
  await insertCheckpoint(2, 31, 7)
  await insertCheckpoint(4, 1, 8, 'a note')
  await createConflicts(logState, () => at(9)).store(uuid(1), 'The reason')
  const { logs, ...others } = await store.readLogStatus({ limit: 10 })
  expect(others).toEqual({
    orderLagSeconds: undefined,
    sealing: { origin: 'log.example.com', publicKeys: [key.toString('base64'), earlier.toString('base64')] },
    stopped: 1,
  })
  const open = { conflict: undefined, sealedAt: undefined, sealedSize: 0 }
  const expected = [
    { ...open, subscriber: 1, length: 5, unsealedSince: at(1), conflict: { reason: 'The reason', foundAt: at(9) } },
    { ...open, subscriber: 2, length: 31, sealedSize: 30, sealedAt: at(5), unsealedSince: at(6) },
    { ...open, subscriber: 4, length: 1, sealedSize: 1, sealedAt: at(8), unsealedSince: undefined },
    { ...open, subscriber: 3, length: 2, unsealedSince: at(2) },
  ].map(({ subscriber, ...log }) => ({
    ...log,
    subscriberId: uuid(subscriber),
    verifierKeys: verifierKeys(subscriber),
    witnesses: [],
  }))
  expect(logs).toEqual(expected)
  expect((await store.readLogStatus({ limit: 2 })).logs).toEqual(expected.slice(0, 2))
  expect((await store.readLogStatus({ subscriberId: uuid(3), limit: 10 })).logs).toEqual(expected.slice(3))
})

test('a log without entries has length 0', async () => {
  const { logs } = await store.readLogStatus({ subscriberId: uuid(9), limit: 10 })
  expect(logs).toMatchObject([{ subscriberId: uuid(9), length: 0, sealedSize: 0, unsealedSince: undefined }])
})

test('its cost does not depend on the number of logs', async () => {
  const many = usually(10_000, { inFullRuns: 100_000 })
  const pages = Array.from({ length: many }, (_, n) => ({ subscriber: 1_000 + n, second: 100 + n }))
  for (let from = 0; from < many; from += 5_000) await insertPages(pages.slice(from, from + 5_000))
  let shown: unknown
  const reads = await examined('log-pages', async () => {
    const { logs } = await store.readLogStatus({ limit: 20 })
    shown = logs.map(({ subscriberId }) => subscriberId)
  })
  // The one that is stopped, then the newest.
  expect(shown).toEqual([uuid(1), ...Array.from({ length: 19 }, (_, n) => uuid(1_000 + many - 1 - n))])
  const sum = reads.reduce((total, { keys, documents }) => total + keys + documents, 0)
  expect(sum).toBeLessThan(1_200)
})
