import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto'
import { insertWithinMs } from '@herald/mongo'
import { createTestClock } from '@herald/mongo/testing'
import {
  createTree,
  formatVerifierKey,
  keyNameOf,
  openCheckpoint,
  proveInclusion,
  readSigningKey,
  readVerifierKey,
  signCheckpoint,
  verifyInclusion,
} from '@herald/sealed-log'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Binary } from 'mongodb'
import { nodeKey } from '../documents/sealed-log-document.ts'
import { createTestLog } from '../test-log.fixture.ts'
import { createCheckpoints } from './checkpoints.ts'
import type { LogLeaves } from './leaves.ts'
import { LogConflict } from './log-conflict.ts'
import { createCompareAnchor, createSealLog } from './seal-log.ts'
import { createTreeNodes } from './tree-nodes.ts'

const { store, collections, migrate, close } = createTestLog()
beforeAll(migrate)
afterAll(close)

const read = readSigningKey(
  generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
)
if (!read.ok) throw new Error(read.detail)
const { key } = read

/** The hashes of a log's leaves. */
const hashesOf = (count: number, name = 'leaf') =>
  Array.from({ length: count }, (_, i) => createHash('sha256').update(`${name} ${i}`).digest())

/** Leaves in memory, where the recorded order keeps them, and everything that seals them on a real server. */
function createLog(hashes: Buffer[] = [], subscriberId: string = randomUUID()) {
  const leaves: LogLeaves = {
    length: async () => hashes.length,
    readHashes: async (_, from, to) => Buffer.concat(hashes.slice(from, to)),
  }
  const nodes = createTreeNodes(collections.logNodes, leaves)
  const checkpoints = createCheckpoints(collections.logCheckpoints, store.now)
  const signed: number[] = []
  const createSealer = (changes: Partial<Parameters<typeof createSealLog>[0]> = {}) => {
    const sealLog = createSealLog({
      leaves,
      nodes,
      checkpoints,
      now: store.now,
      intervalMs: 0,
      sign: (id, checkpoint) => {
        signed.push(checkpoint.size)
        return signCheckpoint(checkpoint, keyNameOf('log.example.com', id), [key])
      },
      ...changes,
    })
    return (hold = async () => true) => sealLog(subscriberId, hold)
  }
  const compareAnchor = createCompareAnchor({ nodes, checkpoints })
  return {
    subscriberId,
    hashes,
    leaves,
    nodes,
    checkpoints,
    signed,
    createSealer,
    seal: createSealer(),
    compareAnchor: (anchor: { size: number; root: Uint8Array }) => compareAnchor(subscriberId, anchor),
  }
}

const rootOf = (hashes: readonly Buffer[]) => {
  const tree = createTree()
  for (const hash of hashes) tree.append(hash)
  return tree.root()
}

test('seals a log as it grows, and proves its leaves from what is stored', async () => {
  const log = createLog()
  expect(await log.seal()).toEqual({ kind: 'unchanged' })
  for (const count of [1, 255, 1, 700, 70_000]) {
    log.hashes.push(...hashesOf(count, `to ${log.hashes.length}`))
    const outcome = await log.seal()
    expect(outcome).toMatchObject({ kind: 'sealed', checkpoint: { size: log.hashes.length } })
    const verifier = readVerifierKey(formatVerifierKey(keyNameOf('log.example.com', log.subscriberId), key.publicKey))
    if (outcome.kind !== 'sealed' || !verifier.ok) throw new Error('not sealed')
    const opened = openCheckpoint(outcome.checkpoint.note, [verifier.key])
    expect(opened).toEqual({ ok: true, checkpoint: { size: log.hashes.length, root: rootOf(log.hashes) } })
  }
  expect(await log.seal()).toEqual({ kind: 'unchanged' })
  const size = log.hashes.length
  for (const index of [0, 256, 65_535, 65_536, size - 1]) {
    const hashes = await proveInclusion(index, size, log.nodes.readerOf(log.subscriberId))
    const leafHash = log.hashes[index] as Buffer
    expect(verifyInclusion({ index, leafHash, size, root: rootOf(log.hashes), hashes })).toBe(true)
  }
  const ofLog = { _id: { $gte: nodeKey(log.subscriberId, 0, 0), $lt: nodeKey(log.subscriberId, 9, 0) } }
  // One hash for each full tile, and no partial ones.
  expect(await collections.logNodes.countDocuments(ofLog)).toBe(Math.floor(size / 256) + Math.floor(size / 65_536))
})

test('many processes at once make one checkpoint of each size', async () => {
  const log = createLog(hashesOf(5000))
  const sealers = Array.from({ length: 8 }, () => log.createSealer())
  const outcomes = await Promise.all(sealers.map((seal) => seal()))
  const notes = outcomes.flatMap((outcome) => (outcome.kind === 'sealed' ? [outcome.checkpoint.note] : []))
  expect(notes.length).toBeGreaterThan(0)
  expect(new Set(notes).size).toBe(1)
})

test('a checkpoint follows the one before after the interval', async () => {
  const log = createLog(hashesOf(10))
  let time = new Date()
  const now = () => time
  const checkpoints = createCheckpoints(collections.logCheckpoints, now)
  const seal = log.createSealer({ intervalMs: 4_000, checkpoints, now })
  expect(await seal()).toMatchObject({ kind: 'sealed', checkpoint: { size: 10 } })
  expect(await seal()).toEqual({ kind: 'unchanged' })
  log.hashes.push(...hashesOf(10, 'more'))
  time = new Date(time.getTime() + 3_999)
  expect(await seal()).toEqual({ kind: 'early', dueInMs: 1 })
  time = new Date(time.getTime() + 1)
  expect(await seal()).toMatchObject({ kind: 'sealed', checkpoint: { size: 20, sealedAt: time } })
})

test('a process that dies after the insert leaves a checkpoint that the next one signs', async () => {
  const log = createLog(hashesOf(300))
  const dying = log.createSealer({
    sign: () => {
      throw new Error('killed')
    },
  })
  await expect(dying()).rejects.toThrow('killed')
  expect(await log.checkpoints.newestSigned(log.subscriberId)).toBeUndefined()
  expect(await log.checkpoints.newest(log.subscriberId)).toMatchObject({ size: 300, note: undefined })
  log.hashes.push(...hashesOf(1, 'more'))
  expect(await log.seal()).toMatchObject({ kind: 'sealed', checkpoint: { size: 300 } })
  expect(await log.seal()).toMatchObject({ kind: 'sealed', checkpoint: { size: 301 } })
})

test('a process that stops half-way leaves hashes that the next one finds', async () => {
  const log = createLog(hashesOf(25_000))
  let held = 0
  expect(await log.seal(async () => held++ === 0)).toEqual({ kind: 'stopped' })
  expect(await log.checkpoints.newest(log.subscriberId)).toBeUndefined()
  expect(await log.seal()).toMatchObject({ kind: 'sealed', checkpoint: { size: 25_000 } })
})

test('what a process has read before it was frozen is not written', async () => {
  const log = createLog(hashesOf(300))
  const { clock, pass } = createTestClock()
  const seal = log.createSealer({ clock })
  const frozen = async () => {
    pass(insertWithinMs + 1)
    return true
  }
  await expect(seal(frozen)).rejects.toThrow('is not written any more')
  expect(await log.checkpoints.newest(log.subscriberId)).toBeUndefined()
  expect(log.signed).toEqual([])
  expect(await log.seal()).toMatchObject({ kind: 'sealed' })
})

test('a process that was frozen before a restore can seal nothing but what the new log has', async () => {
  const log = createLog(hashesOf(300))
  await log.seal()
  const before = createLog([...log.hashes, ...hashesOf(500, 'lost')], log.subscriberId)
  const [isFrozen, isAwake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  // It has read its leaves and is about to insert the checkpoint.
  const twin = before.createSealer()(async () => {
    isFrozen.resolve()
    await isAwake.promise
    return true
  })
  await isFrozen.promise
  log.hashes.push(...hashesOf(500, 'new'))
  const outcome = await log.seal().catch((error: unknown) => error)
  isAwake.resolve()
  // Whichever came first stands; the other is a conflict, and nothing of it is signed.
  const other = await twin.catch((error: unknown) => error)
  const conflicts = [outcome, other].filter((result) => result instanceof LogConflict)
  expect(conflicts.length).toBeGreaterThanOrEqual(1)
  expect([...log.signed, ...before.signed].filter((size) => size === 800).length).toBeLessThanOrEqual(1)
})

test.each([
  ['another root', 300],
  ['a size that the log does not have', 301],
])('a checkpoint with %s that someone inserted is not signed', async (_, size) => {
  const log = createLog(hashesOf(300))
  await log.checkpoints.insert(log.subscriberId, { size, root: hashesOf(1)[0] as Buffer })
  await expect(log.seal()).rejects.toThrow(LogConflict)
  expect(log.signed).toEqual([])
  expect(await log.checkpoints.newestSigned(log.subscriberId)).toBeUndefined()
})

test('a checkpoint of the same size with another root is never signed', async () => {
  const log = createLog(hashesOf(100))
  await log.seal()
  const twin = createLog(hashesOf(100, 'other'), log.subscriberId)
  const insert = twin.checkpoints.insert(twin.subscriberId, { size: 100, root: rootOf(twin.hashes) })
  await expect(insert).rejects.toThrow('A checkpoint of size 100 with another root is stored')
  expect(await log.checkpoints.signedOf(log.subscriberId, 100)).toMatchObject({ root: rootOf(log.hashes) })
})

test.each([
  ['fewer leaves than its checkpoint', (hashes: Buffer[]) => void hashes.splice(250)],
  [
    'another leaf than was sealed',
    (hashes: Buffer[]) => void hashes.splice(299, 1, hashesOf(1, 'other')[0] as Buffer, ...hashesOf(9)),
  ],
])('a log with %s is sealed no further', async (_, change) => {
  const log = createLog(hashesOf(300))
  await log.seal()
  change(log.hashes)
  await expect(log.seal()).rejects.toThrow(LogConflict)
  expect(log.signed).toEqual([300])
})

test('a changed hash of the tree stops the log', async () => {
  const log = createLog(hashesOf(600))
  await log.seal()
  const hash = new Binary(Buffer.alloc(32))
  await collections.logNodes.updateOne({ _id: nodeKey(log.subscriberId, 1, 1) }, { $set: { hash } })
  log.hashes.push(...hashesOf(1, 'more'))
  await expect(log.seal()).rejects.toThrow('The first 600 leaves do not give the root of the checkpoint of that size')
})

test('a published checkpoint that is larger or of another log stops it', async () => {
  const log = createLog(hashesOf(300))
  await log.seal()
  await log.compareAnchor({ size: 200, root: rootOf(log.hashes.slice(0, 200)) })
  await log.compareAnchor({ size: 300, root: rootOf(log.hashes) })
  await expect(log.compareAnchor({ size: 301, root: rootOf(log.hashes) })).rejects.toThrow(
    'A checkpoint of size 301 was published, but the log is sealed up to 300 only',
  )
  await expect(log.compareAnchor({ size: 200, root: rootOf(log.hashes) })).rejects.toThrow(LogConflict)
})
