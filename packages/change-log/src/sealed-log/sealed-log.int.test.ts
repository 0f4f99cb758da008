import { randomUUID } from 'node:crypto'
import { toKey } from '@herald/mongo'
import { subscriberId, uuid } from '@herald/mongo/testing'
import { ada, bob, clear, erasure, workOff } from '@herald/persons/testing'
import { verifyConsistency, verifyInclusion } from '@herald/sealed-log'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Binary } from 'mongodb'
import { changeBy } from '../documents/change-entry.fixture.ts'
import type { StoredChangeEntry } from '../documents/change-entry-document.ts'
import type { EntryPage } from '../documents/log-page-document.ts'
import { createEmptyLog } from '../test-log.fixture.ts'
import { codesOf, createTestSealer, exportText, type Line, readExport } from './sealed-log.fixture.ts'

const { store, database, collections, examined, migrate, close } = createEmptyLog()
const sealer = createTestSealer(database, collections, store.now)
const log = store.sealedLog.of(subscriberId)
const logCollections = ['log-pages', 'log-state', 'log-nodes', 'log-checkpoints']

beforeAll(migrate)
afterAll(close)
beforeEach(async () => {
  await clear(database)
  for (const name of logCollections) await database.collection(name).deleteMany({})
})

const base64 = (text: string) => Buffer.from(text, 'base64')
const idOf = ({ id }: StoredChangeEntry) => id
const changes = [1, 2, 3, 4, 5, 6].map((seconds) => changeBy(seconds % 2 ? ada : bob, seconds))

async function sealAll(entries: readonly StoredChangeEntry[] = changes): Promise<void> {
  await sealer.noteKey()
  await store.changeEntries.insertNew(entries)
  await sealer.record()
  await sealer.seal(subscriberId)
}

async function newestSize(): Promise<number> {
  const found = await log.checkpoint()
  if (found.kind !== 'checkpoint') throw new Error(found.kind)
  return sealer.open(subscriberId, found.checkpoint).size
}

/** Returns the findings of a verifier in an export of the whole log, by its own checkpoint. */
async function verifyWhole() {
  const { leaves, note } = await readExport(log)
  return codesOf(leaves, sealer.open(subscriberId, note))
}

async function proofOf(id: string) {
  const found = await log.proof(id)
  if (found.kind !== 'proven') throw new Error(found.kind)
  return found.proof
}

const kindOf = async (promise: Promise<{ readonly kind: string }>) => (await promise).kind

describe('before there is a checkpoint', () => {
  const kinds = async (id: string) => ({
    checkpoint: await kindOf(log.checkpoint()),
    keys: await kindOf(log.keys()),
    consistency: await kindOf(log.consistency({ from: 1 })),
    proof: await kindOf(log.proof(id)),
    unknown: await kindOf(log.proof(randomUUID())),
    export: await kindOf(log.export({})),
    exportOfRange: await kindOf(log.export({ from: 5, to: 3 })),
  })

  test('sealing is off until a sealer with a key has run, also for logs that are recorded', async () => {
    await store.changeEntries.insertNew(changes)
    await sealer.record()
    for (const kind of Object.values(await kinds(idOf(changes[0] as never)))) expect(kind).toBe('sealing-off')
  })

  test('afterwards a log without a checkpoint says so', async () => {
    await sealer.noteKey()
    await store.changeEntries.insertNew(changes)
    expect(await kinds(idOf(changes[0] as never))).toEqual({
      checkpoint: 'no-checkpoint',
      keys: 'keys',
      consistency: 'invalid-size',
      proof: 'not-sealed',
      unknown: 'not-stored',
      export: 'no-checkpoint',
      exportOfRange: 'no-checkpoint',
    })
  })
})

test('every entry has a proof under the newest checkpoint, in trees with and without full tiles', async () => {
  const entries = Array.from({ length: 700 }, (_, n) => changeBy(n % 2 ? ada : bob, n))
  await sealAll(entries.slice(0, 3))
  expect(await newestSize()).toBe(3)
  await sealAll(entries)
  const { leaves } = await readExport(log)
  expect(leaves.map(({ leafIndex }) => leafIndex)).toEqual(entries.map((_, index) => index))
  for (const index of [0, 2, 3, 255, 256, 511, 512, 699]) {
    const line = leaves[index]
    const proof = await proofOf(line?.entry?.id ?? '')
    const { size, root } = sealer.open(subscriberId, proof.checkpoint)
    expect(proof).toMatchObject({ leafIndex: index, treeSize: 700, salt: line?.salt, userSalt: line?.userSalt })
    expect([size, proof.leafHash]).toEqual([700, line?.leafHash])
    const hashes = proof.hashes.map(base64)
    expect(verifyInclusion({ index, leafHash: base64(proof.leafHash), size, root, hashes })).toBe(true)
  }
  expect(await verifyWhole()).toEqual([])
})

test('the log of each size continues that of each smaller one', async () => {
  const entries = Array.from({ length: 700 }, (_, n) => changeBy(ada, n))
  const roots = new Map<number, Uint8Array>()
  for (const count of [1, 300, 700]) {
    await sealAll(entries.slice(0, count))
    const found = await log.checkpoint()
    if (found.kind === 'checkpoint') roots.set(count, sealer.open(subscriberId, found.checkpoint).root)
  }
  for (const [from, given, to] of [
    ...[[1, 300, 300] as const, [300, 700, 700] as const, [300, undefined, 700] as const, [700, 700, 700] as const],
  ]) {
    const found = await log.consistency({ from, to: given })
    if (found.kind !== 'consistency') throw new Error(found.kind)
    const { consistency } = found
    expect([consistency.from, consistency.to]).toEqual([from, to])
    const checkpoint = sealer.open(subscriberId, consistency.checkpoint)
    expect(checkpoint).toEqual({ size: to, root: Buffer.from(roots.get(to) ?? []) })
    const fromRoot = roots.get(from) as Uint8Array
    const hashes = consistency.hashes.map(base64)
    expect(verifyConsistency({ from, fromRoot, to, toRoot: checkpoint.root, hashes })).toBe(true)
  }
  expect(await kindOf(log.consistency({ from: 300, to: 500 }))).toBe('no-checkpoint')
  const fromNothing = await log.consistency({ from: 0 })
  expect(fromNothing).toMatchObject({ kind: 'consistency', consistency: { from: 0, to: 700, hashes: [] } })
  for (const sizes of [{ from: -1 }, { from: 301, to: 300 }, { from: 1, to: 701 }, { from: 701 }])
    expect(await kindOf(log.consistency(sizes))).toBe('invalid-size')
})

test('keys are verifier keys of this log, the present one first', async () => {
  await sealer.noteKey()
  expect(await log.keys()).toEqual({ kind: 'keys', keys: [sealer.verifierKeyOf(subscriberId)] })
  const second = createTestSealer(database, collections, store.now)
  await second.noteKey()
  expect(await log.keys()).toEqual({
    kind: 'keys',
    keys: [second.verifierKeyOf(subscriberId), sealer.verifierKeyOf(subscriberId)],
  })
})

test('an entry is not sealed until a checkpoint has it, and unknown if it is not stored', async () => {
  await sealAll(changes.slice(0, 2))
  await store.changeEntries.insertNew(changes)
  const [first, , third] = changes.map(idOf)
  expect(await kindOf(log.proof(third ?? ''))).toBe('not-sealed')
  await sealer.record()
  expect(await kindOf(log.proof(third ?? ''))).toBe('not-sealed')
  await sealer.seal(subscriberId)
  expect(await kindOf(log.proof(third ?? ''))).toBe('proven')
  expect(await kindOf(log.proof(randomUUID()))).toBe('not-stored')
  await collections.changeEntries.deleteOne({ _id: toKey(subscriberId, first ?? '') })
  expect(await kindOf(log.proof(first ?? ''))).toBe('not-stored')
})

test('ranges are half-open, within what is recorded, and may be empty', async () => {
  await sealAll(changes.slice(0, 4))
  await store.changeEntries.insertNew(changes)
  await sealer.record()
  const indexes = async (range: Parameters<typeof log.export>[0]) =>
    (await readExport(log, range)).leaves.map(({ leafIndex }) => leafIndex)
  expect(await indexes({})).toEqual([0, 1, 2, 3, 4, 5])
  expect(await indexes({ from: 2 })).toEqual([2, 3, 4, 5])
  expect(await indexes({ from: 1, to: 3 })).toEqual([1, 2])
  expect(await indexes({ to: 6 })).toEqual([0, 1, 2, 3, 4, 5])
  expect(await indexes({ from: 6 })).toEqual([])
  expect(await indexes({ from: 3, to: 3 })).toEqual([])
  for (const range of [{ from: 3, to: 2 }, { to: 7 }, { from: 7 }, { from: -1 }, { from: 0, to: -1 }])
    expect(await kindOf(log.export(range))).toBe('invalid-size')
  expect(await verifyWhole()).toEqual([4])
})

test('an entry that is gone leaves its hash', async () => {
  await sealAll()
  const { leaves } = await readExport(log)
  await collections.changeEntries.deleteOne({ _id: toKey(subscriberId, leaves[3]?.entry?.id ?? '') })
  const { text } = await readExport(log)
  expect(text.split('\n')[4]).toBe(`{"leafIndex":3,"leafHash":"${leaves[3]?.leafHash}","gone":"expired"}`)
  expect(await verifyWhole()).toEqual([2])
})

describe('an erasure', () => {
  const erased = () =>
    readExport(log).then(({ leaves }) =>
      leaves.filter(({ gone }) => gone === 'erased').map(({ leafIndex }) => leafIndex),
    )

  test('leaves everything but the user provable, and is a line of its own', async () => {
    await sealAll()
    const before = await readExport(log)
    await store.erasures.accept([erasure(1, ada, 100)])
    await workOff(store.erasures)
    await sealer.record()
    await sealer.seal(subscriberId)
    const { leaves, text } = await readExport(log)
    const indexes = before.leaves.flatMap(({ leafIndex, entry }) => (entry?.user.id === ada ? [leafIndex] : []))
    expect(indexes).toHaveLength(3)
    expect(await erased()).toEqual(indexes)
    expect(text).not.toContain(ada)
    const [index = 0] = indexes
    const { entry, ...others } = leaves[index] as Line
    const { leafHash, salt } = before.leaves[index] ?? {}
    expect(others).toEqual({ leafIndex: index, leafHash, salt, userHash: expect.any(String), gone: 'erased' })
    expect(entry?.user).toEqual({ id: expect.any(String), name: '', email: '' })
    const { eventId } = erasure(1, ada, 100)
    expect(leaves.at(-1)).toEqual({
      leafIndex: 6,
      leafHash: expect.any(String),
      erasure: { eventId, time: '2126-01-01T00:01:40Z', leafIndexes: indexes.map((at) => [at, at + 1]) },
    })
    expect(await verifyWhole()).toEqual([3])
    const proof = await proofOf(entry?.id ?? '')
    expect(proof).toMatchObject({ userSalt: null, leafHash, salt, userHash: others.userHash })
  })

  test('that is not recorded yet keeps the log from being exported, from its acceptance on', async () => {
    await sealAll()
    await store.erasures.accept([erasure(1, ada, 100)])
    expect(await exportText(log)).toBe('not-ready')
    expect(await exportText(log, { from: 1, to: 0 })).toBe('invalid-size')
    await workOff(store.erasures)
    expect(await exportText(log)).toBe('not-ready')
    expect(await proofOf(idOf(changes[0] as never))).toMatchObject({ userSalt: null })
    await sealer.record()
    expect(await erased()).toHaveLength(3)
  })

  test('of a person without entries, or of another subscriber, keeps nothing back once it is recorded', async () => {
    await sealAll()
    await store.erasures.accept([erasure(1, ada, 100, { subscriberId: uuid(9) })])
    expect(await verifyWhole()).toEqual([])
    await store.erasures.accept([erasure(2, uuid(800), 100)])
    await workOff(store.erasures)
    expect(await exportText(log)).toBe('not-ready')
    await sealer.record()
    expect(await verifyWhole()).toEqual([])
  })

  test('that has its leaf is shown, though the user salts are still there', async () => {
    await sealAll()
    const salts = (await collections.logPages.findOne({ first: 0 })) as EntryPage
    await store.erasures.accept([erasure(1, ada, 100)])
    await workOff(store.erasures)
    await sealer.record()
    const whole = await readExport(log)
    // A sequencer that was killed behind the leaf.
    await collections.logPages.updateOne({ first: 0 }, { $set: { userSalts: salts.userSalts } } as never)
    const eventId = erasure(1, ada, 100).eventId
    await collections.erasures.updateOne({ _id: toKey(subscriberId, eventId) }, { $set: { unrecorded: true } })
    expect((await readExport(log)).text).toBe(whole.text)
    expect(await proofOf(idOf(changes[0] as never))).toMatchObject({ userSalt: null })
  })

  test('of entries that come later leaves them whole', async () => {
    await store.erasures.accept([erasure(1, ada, 100)])
    await workOff(store.erasures)
    await sealAll()
    expect(await erased()).toEqual([])
    expect((await readExport(log)).text).not.toContain(ada)
    expect(await verifyWhole()).toEqual([])
  })

  test('that is accepted during an export ends it before the next piece', async () => {
    const state = JSON.stringify('x'.repeat(50_000))
    await sealAll(Array.from({ length: 40 }, (_, n) => changeBy(ada, n, { beforeState: state })))
    const found = await log.export({})
    if (found.kind !== 'lines') throw new Error(found.kind)
    const { lines } = found
    await lines.next()
    expect(String((await lines.next()).value)).toContain('"name":"Ada"')
    await store.erasures.accept([erasure(1, ada, 100)])
    await expect(lines.next()).rejects.toThrow('A person was erased during the export')
  })

  test('may name many ranges', async () => {
    const entries = Array.from({ length: 2_500 }, (_, n) => changeBy(n % 2 ? ada : bob, n))
    await sealAll(entries)
    await store.erasures.accept([erasure(1, ada, 100_000)])
    await workOff(store.erasures)
    await sealer.record()
    await sealer.seal(subscriberId)
    const { leaves } = await readExport(log)
    expect(leaves.at(-1)?.erasure?.leafIndexes).toHaveLength(1_250)
    expect(await verifyWhole()).toEqual([3])
  }, 60_000)
})

test('a user who was altered is exported with the user salt, so that it is found', async () => {
  await sealAll()
  const _id = toKey(subscriberId, idOf(changes[1] as never))
  await collections.changeEntries.updateOne({ _id }, { $set: { userName: 'Mallory' } })
  expect(await verifyWhole()).toEqual([1])
  expect((await proofOf(idOf(changes[1] as never))).userSalt).toEqual(expect.any(String))
  await store.erasures.accept([erasure(1, ada, 100)])
  await workOff(store.erasures)
  await sealer.record()
  await sealer.seal(subscriberId)
  expect(await verifyWhole()).toEqual([1, 3])
})

test('a user salt that was removed without an erasure is found', async () => {
  await sealAll()
  const page = (await collections.logPages.findOne({ first: 0 })) as EntryPage
  const userSalts = Buffer.from(page.userSalts.buffer)
  userSalts.fill(0, 0, 32)
  await collections.logPages.updateOne({ first: 0 }, { $set: { userSalts: new Binary(userSalts) } } as never)
  expect(await verifyWhole()).toEqual([1])
})

test('exports logs of many small pages and of large entries', async () => {
  await sealer.noteKey()
  const large = JSON.stringify('y'.repeat(900_000))
  for (let n = 0; n < 12; n++) {
    await store.changeEntries.insertNew([changeBy(ada, n, n % 3 ? {} : { afterState: large })])
    await sealer.record()
  }
  await sealer.seal(subscriberId)
  expect(await collections.logPages.countDocuments()).toBe(12)
  expect((await readExport(log)).leaves).toHaveLength(12)
  expect(await verifyWhole()).toEqual([])
  expect((await readExport(log, { from: 3, to: 11 })).leaves.map(({ leafIndex }) => leafIndex)).toEqual(
    Array.from({ length: 8 }, (_, n) => 3 + n),
  )
}, 60_000)

test('leaves that were removed are left out, wherever they were, and the export ends where the log was sealed', async () => {
  for (let n = 0; n < 9; n++) {
    await store.changeEntries.insertNew([changeBy(ada, n)])
    await sealer.record()
  }
  await sealer.seal(subscriberId)
  const pages = await collections.logPages.find().sort({ _id: 1 }).toArray()
  const indexes = async (range = {}) => (await readExport(log, range)).leaves.map(({ leafIndex }) => leafIndex)
  const remove = (...at: number[]) =>
    collections.logPages.deleteMany({ _id: { $in: at.map((n) => pages[n]?._id as never) } })
  await remove(0, 4, 5, 8)
  expect(await indexes()).toEqual([1, 2, 3, 6, 7])
  expect(await indexes({ from: 4, to: 9 })).toEqual([6, 7])
  await remove(1, 2, 3, 6, 7)
  expect(await indexes()).toEqual([])
})

test('a proof from altered tiles is false, and true again once they are as they were', async () => {
  const entries = Array.from({ length: 600 }, (_, n) => changeBy(ada, n))
  await sealAll(entries)
  const { leaves } = await readExport(log)
  const prove = (at: number) => proofOf(leaves[at]?.entry?.id ?? '')
  const isTrue = ({ leafIndex: index, leafHash, hashes, checkpoint }: Awaited<ReturnType<typeof prove>>) => {
    const { size, root } = sealer.open(subscriberId, checkpoint)
    return verifyInclusion({ index, leafHash: base64(leafHash), size, root, hashes: hashes.map(base64) })
  }
  const nodes = await collections.logNodes.find().toArray()
  const hash = new Binary(Buffer.alloc(32))
  await collections.logNodes.updateMany({}, { $set: { hash } })
  expect([isTrue(await prove(1)), isTrue(await prove(599))]).toEqual([false, false])
  for (const node of nodes) await collections.logNodes.replaceOne({ _id: node._id }, node)
  for (const at of [1, 300, 599]) expect(isTrue(await prove(at))).toBe(true)
  await sealAll([...entries, changeBy(bob, 9_000)])
  for (const at of [2, 300, 599]) expect(isTrue(await prove(at))).toBe(true)
})

test('a proof examines one entry, one page, one checkpoint, and the tiles', async () => {
  const entries = Array.from({ length: 3_000 }, (_, n) => changeBy(ada, n))
  await sealAll(entries)
  const prove = () => log.proof(idOf(entries[1_234] as never))
  const [found, ...pages] = await examined('log-pages', prove)
  // Besides these three, the eleven nodes above the leaves, and the one behind them.
  expect(found).toMatchObject({ plan: 'IXSCAN { ids: 1 }', keys: 1, documents: 3 + 11 + 1 })
  for (const { documents, sorted } of pages) expect([documents <= 2, sorted]).toEqual([true, false])
  for (const name of ['change-entries', 'log-checkpoints', 'log-nodes']) expect(await examined(name, prove)).toEqual([])
}, 60_000)

test('another subscriber sees nothing of a log, and a user of the same subscriber all of it', async () => {
  await sealAll()
  const other = store.sealedLog.of(uuid(7), ada)
  const [first] = changes.map(idOf)
  expect(await kindOf(other.checkpoint())).toBe('no-checkpoint')
  expect(await kindOf(other.consistency({ from: 1 }))).toBe('invalid-size')
  expect(await kindOf(other.proof(first ?? ''))).toBe('not-stored')
  expect(await kindOf(other.export({}))).toBe('no-checkpoint')
  expect(await other.keys()).toEqual({ kind: 'keys', keys: [sealer.verifierKeyOf(uuid(7))] })
  const own = { ...(changes[0] as StoredChangeEntry), subscriberId: uuid(7) }
  await store.changeEntries.insertNew([own])
  await sealer.record()
  await sealer.seal(uuid(7))
  expect((await readExport(other)).leaves).toHaveLength(1)
  expect((await readExport(store.sealedLog.of(subscriberId, bob))).leaves).toHaveLength(6)
})
