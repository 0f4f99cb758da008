import { randomUUID } from 'node:crypto'
import { toIndexKey } from '@herald/mongo'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Binary } from 'mongodb'
import type { LogPageDocument } from '../documents/log-page-document.ts'
import { createEmptyLog } from '../test-log.fixture.ts'
import { createLogLeaves } from './leaves.ts'
import { createSealingState } from './sealing-state.ts'

const { collections, migrate, close } = createEmptyLog()
beforeAll(migrate)
afterAll(close)

const leaves = createLogLeaves(collections.logPages)

/** Pages of so many leaves each; the hash of a leaf is its index. */
async function insertLog(counts: readonly number[]) {
  const subscriberId = randomUUID()
  let first = 0
  const pages = counts.map((count) => {
    const hashes = Buffer.concat(Array.from({ length: count }, (_, i) => hashOf(first + i)))
    const page = { _id: toIndexKey(subscriberId, first), v: 1, first, count, leafHashes: new Binary(hashes) }
    first += count
    return { ...page, recordedAt: new Date(), ids: [], salts: new Binary(), userSalts: new Binary() }
  })
  await collections.logPages.insertMany(pages as unknown as LogPageDocument[])
  return subscriberId
}

function hashOf(index: number) {
  const hash = Buffer.alloc(32)
  hash.writeUInt32BE(index)
  return hash
}

test('reads any range of hashes from pages of any size', async () => {
  const counts = [3, 1, 1_000, ...Array.from({ length: 700 }, () => 1), 500]
  const length = 2_204
  const subscriberId = await insertLog(counts)
  const indexes = (hashes: Uint8Array) =>
    Array.from({ length: hashes.length / 32 }, (_, i) => Buffer.from(hashes).readUInt32BE(32 * i))
  expect(await leaves.length(subscriberId)).toBe(length)
  for (const [from, to] of [
    ...[[0, 1] as const, [2, 5] as const, [3, 4] as const, [0, length] as const, [4, 1_004] as const],
    ...[[1_000, 1_300] as const, [1_703, 1_705] as const, [length - 1, length] as const],
  ]) {
    const expected = Array.from({ length: to - from }, (_, i) => from + i)
    expect(indexes(await leaves.readHashes(subscriberId, from, to))).toEqual(expected)
  }
})

test('a leaf that is not recorded cannot be read', async () => {
  const subscriberId = await insertLog([3])
  await insertLog([10])
  expect(await leaves.length(randomUUID())).toBe(0)
  await expect(leaves.readHashes(subscriberId, 2, 4)).rejects.toThrow('Leaf 3 cannot be read')
  await expect(leaves.readHashes(randomUUID(), 0, 1)).rejects.toThrow('Leaf 0 cannot be read')
})

test('the state has the key of the present sealer first, and those of earlier ones', async () => {
  const state = createSealingState(collections.logState, collections.logCheckpoints)
  expect(await state.read()).toBeUndefined()
  const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  await state.note({ origin: 'log.example.com', keys: [first] })
  await state.note({ origin: 'log.example.com', keys: [second, first] })
  expect(await state.read()).toEqual({ origin: 'log.example.com', keys: [second, first] })
  await state.note({ origin: 'log.example.com', keys: [second] })
  expect(await state.read()).toEqual({ origin: 'log.example.com', keys: [second, first] })
})

test('another origin is refused once a checkpoint exists', async () => {
  const state = createSealingState(collections.logState, collections.logCheckpoints)
  const keys = [Buffer.alloc(32, 3)]
  await state.note({ origin: 'log.example.org', keys })
  await collections.logCheckpoints.insertOne({
    _id: toIndexKey(randomUUID(), 1),
    v: 1,
    root: new Binary(Buffer.alloc(32)),
    sealedAt: new Date(),
  })
  await state.note({ origin: 'log.example.org', keys })
  await expect(state.note({ origin: 'log.example.com', keys })).rejects.toThrow(
    'Checkpoints exist under the origin log.example.org',
  )
})
