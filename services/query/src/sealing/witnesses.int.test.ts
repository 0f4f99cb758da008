import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StartedService } from '@herald/local-herald'
import { checkQuorum, readPolicy } from '@herald/sealed-log'
import { eventually } from '@herald/test-servers'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { createTestLogs } from './sealer.fixture.ts'
import { type Manner, startTestWitness } from './test-witness.fixture.ts'

const logs = await createTestLogs('witnesses')
const folder = mkdtempSync(join(tmpdir(), 'herald-witnesses-'))
const hangsAfterMs = 240_000
const cleanUp: (() => unknown)[] = []

beforeAll(() => logs.prepare(), hangsAfterMs)
afterEach(async () => {
  for (const end of cleanUp.splice(0).reverse()) await end()
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await logs.stop()
})

async function startWitness(name: string, manner: Manner = 'cosigns') {
  const keyOf = (name: string) => logs.key.verifierOf(name.slice(name.lastIndexOf('/') + 1))
  const witness = await startTestWitness(name, keyOf)
  witness.behave(manner)
  cleanUp.push(witness.stop)
  return witness
}
type Witness = Awaited<ReturnType<typeof startWitness>>

/** Starts a sealer with a policy. Returns whether a note has its quorum, too. */
async function startSealer(witnesses: readonly Witness[], ...lines: readonly string[]) {
  const text = [...witnesses.map(({ policyLine }) => policyLine), ...lines, ''].join('\n')
  const file = join(folder, 'policy')
  writeFileSync(file, text)
  const read = readPolicy(Buffer.from(text))
  if (!read.ok) throw new Error(read.detail)
  const sealer: StartedService = await logs.start({ LOG_WITNESS_POLICY: file })
  cleanUp.push(() => sealer.stop())
  return { sealer, cosigners: (note: string) => cosignersOf(note, read.policy) }
}

function cosignersOf(note: string, policy: Parameters<typeof checkQuorum>[1]) {
  const found = checkQuorum(note, { ...policy, quorum: 'none' })
  if (!found.ok) throw new Error(found.detail)
  return found.by.map(({ name }) => name)
}

const servedNote = async (subscriberId: string) => {
  const found = await logs.store.sealedLog.of(subscriberId).checkpoint()
  return found.kind === 'checkpoint' ? found.checkpoint : undefined
}
const sizeIn = (note: string | undefined) => Number(note?.split('\n')[1] ?? 0)
const servedUpTo = (subscriberId: string, size: number) =>
  eventually(async () => {
    const note = await servedNote(subscriberId)
    return sizeIn(note) === size && note
  })
const sizeAt = ({ logs: known }: Witness, subscriberId: string) =>
  [...known].find(([origin]) => origin.endsWith(subscriberId))?.[1].size

async function statusOf(subscriberId: string) {
  const { logs: found } = await logs.store.readLogStatus({ subscriberId, limit: 1 })
  return new Map(found[0]?.witnesses.map(({ witness, ...status }) => [witness.split('.example')[0], status]))
}

test(
  'what is served and published has the quorum; with one witness away the earlier one stays, until it is back',
  async () => {
    const [a, b] = [await startWitness('A'), await startWitness('B')]
    const { sealer, cosigners } = await startSealer([a, b], 'group Both all A B', 'quorum Both')
    const [subscriberId, other] = [logs.newSubscriber(), logs.newSubscriber()]
    await logs.storeEntries(subscriberId, 3)
    const first = await servedUpTo(subscriberId, 3)
    expect(cosigners(first)).toEqual(['A', 'B'])
    await eventually(async () => (await logs.records(subscriberId)).length === 1)

    b.behave('breaks off')
    await logs.storeEntries(subscriberId, 2)
    await eventually(() => sizeAt(a, subscriberId) === 5)
    await logs.storeEntries(other, 4)
    await eventually(() => sizeAt(a, other) === 4)
    expect(await servedNote(subscriberId)).toBe(first)
    expect(await servedNote(other)).toBeUndefined()
    await eventually(async () => (await statusOf(subscriberId)).get('B')?.problem !== undefined)
    expect(await statusOf(subscriberId)).toEqual(
      new Map([
        ['A', { size: 5, behindSince: undefined, problem: undefined }],
        ['B', { size: 3, behindSince: expect.any(Date), problem: 'UND_ERR_SOCKET' }],
      ]),
    )
    const lagOf = (name: string) => logs.metric(sealer, `herald_log_witness_lag_seconds{witness="${name}"}`)
    await eventually(async () => ((await lagOf('B')) ?? 0) > 0)
    expect(await lagOf('A')).toBe(0)

    b.behave('cosigns')
    const last = await servedUpTo(subscriberId, 5)
    expect(cosigners(last)).toEqual(['A', 'B'])
    await servedUpTo(other, 4)
    const records = await eventually(async () => {
      const found = await logs.records(subscriberId)
      return found.length > 1 && found
    })
    expect(records.map(({ note }) => cosigners(note))).toEqual([
      ['A', 'B'],
      ['A', 'B'],
    ])
    expect(records.map(({ note }) => sizeIn(note))).toEqual([3, 5])
  },
  hangsAfterMs,
)

test(
  'without a quorum, cosignatures are added as they come; a witness that knows another size is followed',
  async () => {
    const [a, b] = [await startWitness('A'), await startWitness('B', 503)]
    const { cosigners } = await startSealer([a, b], 'quorum none')
    const subscriberId = logs.newSubscriber()
    await logs.storeEntries(subscriberId, 3)
    await eventually(async () => cosigners((await servedNote(subscriberId)) ?? ' \n\n').join() === 'A')
    // As if the sealer had lost what it knows of the witness.
    await logs.database.collection<{ _id: string }>('log-state').deleteOne({ _id: `witnessed/${subscriberId}` })
    await logs.storeEntries(subscriberId, 4)
    await eventually(() => sizeAt(a, subscriberId) === 7)
    b.behave('cosigns')
    await eventually(async () => cosigners((await servedNote(subscriberId)) ?? ' \n\n').join() === 'A,B')
  },
  hangsAfterMs,
)

test(
  'no broken witness delays another one, and each has its reason in the status',
  async () => {
    const manners = {
      ...{
        Broken: 'breaks off',
        Garbage: 'garbage',
        Redirects: 'redirects',
        Large: '10 MB',
        Changes: 'a size that changes',
      },
      ...{ Beyond: 'a size beyond', Unknown: 404, Hangs: 'hangs', Drips: 'drips' },
    } as const
    const honest = await startWitness('Honest')
    const broken = await Promise.all(
      Object.entries(manners).map(([name, manner]) => startWitness(name, manner as Manner)),
    )
    const { cosigners } = await startSealer([honest, ...broken], 'quorum Honest')
    const subscriberIds = Array.from({ length: 3 }, logs.newSubscriber)
    for (const size of [1, 2]) {
      for (const subscriberId of subscriberIds) await logs.storeEntries(subscriberId, 1)
      for (const subscriberId of subscriberIds) {
        expect(cosigners(await servedUpTo(subscriberId, size))).toEqual(['Honest'])
      }
    }
    const reasonOf = async (name: string) => {
      const all = await Promise.all(subscriberIds.map(statusOf))
      return all.flatMap((one) => one.get(name)?.problem ?? [])[0]
    }
    const expected = {
      Broken: 'UND_ERR_SOCKET',
      Garbage: '200 without a valid cosignature of its key',
      Redirects: '307: a redirect, which is not followed',
      Large: '200 with more than 64 KiB',
      Changes: /^409/,
      Beyond: '409: it knows the log up to 9007199254740991, which is more than is sealed here',
      Unknown: '404: it does not know the log',
      Hangs: 'no answer within 10 s',
      Drips: 'no answer within 10 s',
    }
    for (const [name, reason] of Object.entries(expected)) {
      expect(await eventually(() => reasonOf(name))).toMatch(reason)
    }
    for (const { counts } of broken) expect(counts.mostOpen).toBeLessThanOrEqual(4)
  },
  hangsAfterMs,
)

test(
  'a history that was rewritten in MongoDB is not served after a restart, because the witness has cosigned another one',
  async () => {
    const a = await startWitness('A')
    const withoutTopic = { KAFKA_CHECKPOINT_TOPIC: '' }
    const { sealer } = await startSealer([a], 'quorum A')
    const subscriberId = logs.newSubscriber()
    await logs.storeEntries(subscriberId, 4)
    await servedUpTo(subscriberId, 4)
    await sealer.stop()

    const prefix = Buffer.from(subscriberId.replaceAll('-', ''), 'hex')
    const ofLog = {
      _id: { $gte: Buffer.concat([prefix, Buffer.alloc(8)]), $lte: Buffer.concat([prefix, Buffer.alloc(8, 255)]) },
    }
    await logs.database.collection('log-checkpoints').deleteMany(ofLog as never)
    await logs.database
      .collection('log-pages')
      .updateMany(ofLog as never, { $set: { leafHashes: Buffer.alloc(4 * 32, 7) } })
    const again = await logs.start({ ...withoutTopic, LOG_WITNESS_POLICY: join(folder, 'policy') })
    cleanUp.push(() => again.stop())
    const problem = await eventually(async () => (await statusOf(subscriberId)).get('A')?.problem)
    expect(problem).toBe('422: it has cosigned another history of the log')
    expect(await servedNote(subscriberId)).toBeUndefined()
  },
  hangsAfterMs,
)
