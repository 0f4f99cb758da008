import type { StartedService } from '@herald/local-herald'
import { signCheckpoint } from '@herald/sealed-log'
import { eventually } from '@herald/test-servers'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Document } from 'mongodb'
import { createTestLogs, newKey, origin, rootOf, verifyNote } from './sealer.fixture.ts'

const logs = await createTestLogs('restore')
const hangsAfterMs = 240_000
beforeAll(() => logs.prepare(), hangsAfterMs)
afterAll(() => logs.stop())

let sealer: StartedService
let other: string
beforeEach(async () => {
  sealer = await logs.start()
  other = logs.newSubscriber()
}, hangsAfterMs)

afterEach(() => sealer.stop())

const newestOf = async (subscriberId: string) => (await logs.checkpoints(subscriberId)).at(-1)
const sealedUpTo = (subscriberId: string, size: number) =>
  eventually(async () => {
    const newest = await newestOf(subscriberId)
    if (newest?.size !== size || newest.note === undefined) return false
    return (await logs.records(subscriberId)).at(-1)?.note === newest.note
  })
const addAndSeal = async (subscriberId: string, count: number) => {
  const size = (await logs.leaves(subscriberId)).length + count
  await logs.storeEntries(subscriberId, count)
  await sealedUpTo(subscriberId, size)
  return size
}

const collections = ['change-entries', 'log-pages', 'log-nodes', 'log-checkpoints', 'log-state']

/** Returns the documents that a dump of the database has. */
async function dump(): Promise<Map<string, Document[]>> {
  const found = new Map<string, Document[]>()
  for (const name of collections) found.set(name, await logs.database.collection(name).find().toArray())
  return found
}

async function restore(dumped: ReadonlyMap<string, Document[]>): Promise<void> {
  for (const [name, documents] of dumped) {
    await logs.database.collection(name).deleteMany({})
    if (documents.length > 0) await logs.database.collection(name).insertMany(documents)
  }
}

const conflictOf = (subscriberId: string) =>
  logs.database.collection<{ _id: string; reason: string }>('log-state').findOne({ _id: `conflict/${subscriberId}` })
const accept = (subscriberId: string) => logs.run(['--accept-restore', subscriberId])

test(
  'a log that was restored stops alone, until an operator accepts that; then it is sealed and published again',
  async () => {
    const subscriberId = logs.newSubscriber()
    await addAndSeal(subscriberId, 300)
    await addAndSeal(other, 10)
    const nothing = await accept(subscriberId)
    expect(nothing.output).toContain('There is nothing to accept')
    expect(nothing.code).toBe(3)

    await sealer.stop()
    const dumped = await dump()
    await sealer.restart()
    await addAndSeal(subscriberId, 200)
    await sealer.stop()
    await restore(dumped)
    await logs.storeEntries(subscriberId, 50)
    await sealer.restart()

    const conflict = await eventually(() => conflictOf(subscriberId).then((found) => found ?? undefined))
    expect(conflict.reason).toBe('A checkpoint of size 500 was published, but the log is sealed up to 300 only')
    await addAndSeal(other, 10)
    expect((await newestOf(subscriberId))?.size).toBe(300)
    expect(await logs.metric(sealer, 'herald_log_conflict')).toBe(1)
    const errors = () => sealer.logs().filter((line) => line.includes('"level":"error"') && line.includes(subscriberId))
    // It was looked at several times since.
    await eventually(async () => (await logs.checkpoints(other)).length >= 2)
    expect(errors()).toHaveLength(1)
    expect(errors()[0]).toContain('HeraldLogConflict')

    const accepted = await accept(subscriberId)
    expect(accepted.output).toContain('Accepted for the log of')
    expect(accepted.output).toContain('The log goes on from size 300')
    expect(accepted.code).toBe(0)
    await sealedUpTo(subscriberId, 350)
    await eventually(async () => (await logs.metric(sealer, 'herald_log_conflict')) === 0)
    expect(await conflictOf(subscriberId)).toBeNull()

    // Nor does a process that reads the topic from its beginning stop it again.
    await sealer.restart()
    const size = await addAndSeal(subscriberId, 5)
    const leaves = await logs.leaves(subscriberId)
    const notes = (await logs.records(subscriberId)).map(({ note }) => note)
    expect(new Set(notes).size).toBe(notes.length)
    expect(await verifyNote(notes.at(-1) ?? '', subscriberId, logs.key, leaves)).toBe(size)
    expect((await accept(subscriberId)).code).toBe(3)
  },
  hangsAfterMs,
)

test(
  'a log of which nothing is left in a restored database stops, too',
  async () => {
    await addAndSeal(other, 10)
    const dumped = await dump()
    const subscriberId = logs.newSubscriber()
    await addAndSeal(subscriberId, 20)
    await sealer.stop()
    await restore(dumped)
    await sealer.restart()
    await eventually(async () => (await conflictOf(subscriberId)) !== null)
    expect((await accept(subscriberId)).code).toBe(0)
    await eventually(async () => (await conflictOf(subscriberId)) === null)
    await addAndSeal(subscriberId, 3)
  },
  hangsAfterMs,
)

test(
  'a record under the name of a log that no known key has signed stops it; what is no checkpoint does not',
  async () => {
    const subscriberId = logs.newSubscriber()
    await addAndSeal(subscriberId, 5)
    await addAndSeal(other, 5)
    const foreign = newKey()
    const read = foreign.verifierOf(subscriberId)
    const note = signCheckpoint({ size: 3, root: rootOf((await logs.leaves(subscriberId)).slice(0, 3)) }, read.name, [
      foreign.signing,
    ])
    await logs.publish([
      { key: other, value: 'hello' },
      { key: other, value: `${origin}/${other}\nnot a checkpoint\n` },
      { key: subscriberId, value: note },
    ])
    await sealer.restart()
    const conflict = await eventually(() => conflictOf(subscriberId).then((found) => found ?? undefined))
    expect(conflict.reason).toContain('that no known key has signed')
    await addAndSeal(other, 5)
    expect(await conflictOf(other)).toBeNull()
    expect(sealer.logs().some((line) => line.includes('2 records in') && line.includes('are ignored'))).toBe(true)
    expect((await accept(subscriberId)).output).toContain('that no known key has signed')
    await addAndSeal(subscriberId, 5)
  },
  hangsAfterMs,
)

test(
  'a log that contradicts its own checkpoint stops, and no restore explains that',
  async () => {
    const subscriberId = logs.newSubscriber()
    await addAndSeal(subscriberId, 5)
    const id = Buffer.concat([Buffer.from(subscriberId.replaceAll('-', ''), 'hex'), Buffer.alloc(8)]) as never
    const pages = logs.database.collection('log-pages')
    const page = await pages.findOne({ _id: id })
    await pages.updateOne({ _id: id }, { $set: { leafHashes: Buffer.alloc(32 * 5, 7) } })
    await logs.storeEntries(subscriberId, 5)
    const conflict = await eventually(() => conflictOf(subscriberId).then((found) => found ?? undefined))
    expect(conflict.reason).toContain('The first 5 leaves do not give the root')
    const refused = await accept(subscriberId)
    expect(refused.output).toContain('contradicts its own checkpoints')
    expect(refused.code).toBe(4)
    await pages.updateOne({ _id: id }, { $set: { leafHashes: page?.leafHashes } })
    await sealedUpTo(subscriberId, 10)
  },
  hangsAfterMs,
)
