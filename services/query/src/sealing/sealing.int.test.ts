import { randomUUID } from 'node:crypto'
import type { StartedService } from '@herald/local-herald'
import { openCheckpoint } from '@herald/sealed-log'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestLogs, newKey, origin, rootOf, verifyNote } from './sealer.fixture.ts'

const logs = await createTestLogs('sealing')
const hangsAfterMs = 240_000

let first: StartedService
beforeAll(async () => {
  await logs.prepare()
  first = await logs.start()
}, hangsAfterMs)
afterAll(() => logs.stop())

/** Waits until the newest signed checkpoint and the newest record have so many leaves. */
const sealedUpTo = (subscriberId: string, size: number) =>
  eventually(async () => {
    const newest = (await logs.checkpoints(subscriberId)).at(-1)
    if (newest?.size !== size || newest.note === undefined) return false
    return (await logs.records(subscriberId)).at(-1)?.note === newest.note ? newest : false
  })

test(
  'what is stored is sealed, published, and can be proven; so is what follows, and an erasure in between',
  async () => {
    const subscriberId = logs.newSubscriber()
    const person = randomUUID()
    await logs.storeEntries(subscriberId, 300)
    const [mine] = await logs.storeEntries(subscriberId, 1, {
      user: { id: person, name: 'Ada', email: 'a@example.com' },
    })
    await sealedUpTo(subscriberId, 301)

    const time = new Date((mine?.createdAt.getTime() ?? 0) + 1_000)
    await logs.store.erasures.accept([{ subscriberId, eventId: randomUUID(), time, personId: person }])
    for (const open of await logs.store.erasures.open()) while (await logs.store.erasures.step(open));
    await sealedUpTo(subscriberId, 302)
    await logs.storeEntries(subscriberId, 5)
    await sealedUpTo(subscriberId, 307)

    const leaves = await logs.leaves(subscriberId)
    const checkpoints = await logs.checkpoints(subscriberId)
    expect(checkpoints.at(-1)?.root).toEqual(rootOf(leaves))
    const records = await logs.records(subscriberId)
    expect(records.map(({ note }) => note)).toEqual(checkpoints.map(({ note }) => note))
    expect(new Set(records.map(({ contentType }) => contentType))).toEqual(new Set(['text/plain']))
    for (const { note } of records) await verifyNote(note, subscriberId, logs.key, leaves)
    const [name] = records[0]?.note.split('\n') ?? []
    expect(name).toBe(`${origin}/${subscriberId}`)
  },
  hangsAfterMs,
)

test(
  'reports what it has sealed, and that nothing is late',
  async () => {
    const before = (await logs.metric(first, 'herald_log_sealed_leaves_total')) ?? 0
    const subscriberId = logs.newSubscriber()
    await logs.storeEntries(subscriberId, 10)
    await sealedUpTo(subscriberId, 10)
    await eventually(async () => (await logs.metric(first, 'herald_log_sealed_leaves_total')) === before + 10)
    expect(await logs.metric(first, 'herald_log_checkpoints_total')).toBeGreaterThan(0)
    expect(await logs.metric(first, 'herald_log_seal_lag_seconds')).toBe(0)
    expect(await logs.metric(first, 'herald_log_conflict')).toBe(0)
  },
  hangsAfterMs,
)

test(
  'a log has at most one checkpoint an interval',
  async () => {
    const subscriberId = logs.newSubscriber()
    const begun = Date.now()
    for (let n = 0; n < 10; n++) {
      await logs.storeEntries(subscriberId, 1)
      await eventually(async () => (await logs.leaves(subscriberId)).length > n)
    }
    await sealedUpTo(subscriberId, 10)
    const checkpoints = await logs.checkpoints(subscriberId)
    expect(checkpoints.length).toBeLessThanOrEqual(1 + Math.ceil((Date.now() - begun) / 1_000))
  },
  hangsAfterMs,
)

test(
  'during a rotation both keys sign, and afterwards the new one',
  async () => {
    const next = newKey()
    const subscriberId = logs.newSubscriber()
    await first.stop()
    const both = await logs.start({ LOG_SIGNING_KEY: next.pem, LOG_SIGNING_KEY_PREVIOUS: logs.key.pem })
    await logs.storeEntries(subscriberId, 3)
    const { note = '' } = await sealedUpTo(subscriberId, 3)
    for (const key of [logs.key, next]) expect(openCheckpoint(note, [key.verifierOf(subscriberId)]).ok).toBe(true)
    expect(note.split('\n\n')[1]?.split('\n').slice(0, -1)).toHaveLength(2)
    await both.stop()
    const after = await logs.start({ LOG_SIGNING_KEY: next.pem })
    await logs.storeEntries(subscriberId, 2)
    const { note: later = '' } = await sealedUpTo(subscriberId, 5)
    expect(openCheckpoint(later, [next.verifierOf(subscriberId)]).ok).toBe(true)
    expect(openCheckpoint(later, [logs.key.verifierOf(subscriberId)]).ok).toBe(false)
    await after.stop()
    const back = { LOG_SIGNING_KEY_PREVIOUS: next.pem }
    first = await logs.start(back)
  },
  hangsAfterMs,
)

test(
  'refuses to start under another origin, and with every fault at once',
  async () => {
    const other = await logs.run([], { LOG_ORIGIN: 'log.example.org' })
    expect(other.code).toBe(1)
    expect(other.output).toContain(`LOG_ORIGIN: Checkpoints exist under the origin ${origin}`)
    const faults = await logs.run([], {
      LOG_SIGNING_KEY: 'secret',
      LOG_ORIGIN: 'https://x',
      SEAL_INTERVAL_SECONDS: '0',
    })
    expect(faults.code).toBe(1)
    for (const name of ['LOG_SIGNING_KEY', 'LOG_ORIGIN', 'SEAL_INTERVAL_SECONDS']) {
      expect(faults.output).toContain(`"${name}: Must`)
    }
    expect(faults.output).not.toContain('secret')
  },
  hangsAfterMs,
)

test(
  'says that its topic does not exist, and seals nothing before it was read',
  async () => {
    await first.stop()
    const without = await logs.start({ KAFKA_CHECKPOINT_TOPIC: 'no-such-topic' })
    const subscriberId = logs.newSubscriber()
    await logs.storeEntries(subscriberId, 1)
    await eventually(async () => (await logs.leaves(subscriberId)).length === 1)
    await eventually(() => without.logs().some((line) => line.includes('The topic no-such-topic does not exist')))
    expect(await logs.checkpoints(subscriberId)).toEqual([])
    await without.stop()
    await first.restart()
    await sealedUpTo(subscriberId, 1)
  },
  hangsAfterMs,
)

test('says at its start that nothing is sealed any more, if it has no key', async () => {
  const without = await logs.start({ LOG_SIGNING_KEY: '', LOG_ORIGIN: '' })
  await eventually(() => without.logs().some((line) => line.includes('Change logs were sealed before')))
  await without.stop()
})

test.each([
  [['--accept-restore'], 2],
  [['--accept-restore', 'everything'], 2],
  [['--seal'], 2],
  [['--help'], 0],
])('%p has exit code %p and shows the usage', async (words, code) => {
  const ran = await logs.run(words)
  expect(ran.output).toContain('Usage: node services/query/dist/seal.js --accept-restore <subscriberId>…')
  expect(ran.code).toBe(code)
})
