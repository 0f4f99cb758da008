import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { StartedService } from '@herald/local-herald'
import { signAcceptance, signCheckpoint } from '@herald/sealed-log'
import { createTopic, eventually } from '@herald/test-servers'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import kafkajs from 'kafkajs'
import { Binary } from 'mongodb'
import { forgeEntry } from './forge-entry.fixture.ts'
import { createTestLogs, newKey, origin, verifyNote } from './sealer.fixture.ts'

/** Each test does what somebody can do who writes to MongoDB, and in some also to the topic, and who has no signing key. */
const logs = await createTestLogs('untrusted')
const hangsAfterMs = 240_000
beforeAll(() => logs.prepare(), hangsAfterMs)
afterAll(() => logs.stop())

const running: StartedService[] = []
afterEach(async () => {
  for (const sealer of running.splice(0)) await sealer.stop()
})

async function start(changes: Record<string, string> = {}, words: readonly string[] = []) {
  const sealer = await logs.start(changes, words)
  running.push(sealer)
  return sealer
}
const withoutTopic = { KAFKA_CHECKPOINT_TOPIC: '' }

const signedSizes = async (subscriberId: string) =>
  (await logs.checkpoints(subscriberId)).flatMap(({ size, note }) => (note === undefined ? [] : [size]))
const newestNote = async (subscriberId: string) => (await logs.checkpoints(subscriberId)).at(-1)?.note

async function addAndSeal(subscriberId: string, count: number, { isPublished = true } = {}) {
  const size = (await logs.leaves(subscriberId)).length + count
  await logs.storeEntries(subscriberId, count)
  await eventually(async () => (await signedSizes(subscriberId)).at(-1) === size)
  if (!isPublished) return
  const note = await newestNote(subscriberId)
  await eventually(async () => (await logs.records(subscriberId)).some((record) => record.note === note))
}

const states = logs.database.collection<{ _id: string; reason?: string; keys?: Binary[] }>('log-state')
const conflictOf = (subscriberId: string) => states.findOne({ _id: `conflict/${subscriberId}` })
const stoppedFor = async (subscriberId: string) =>
  (await eventually(async () => (await conflictOf(subscriberId)) ?? undefined)).reason ?? ''

/** Waits until a sealer has looked at each grown log again. */
async function untilLookedAgain({ isPublished = true } = {}) {
  const other = logs.newSubscriber()
  for (const count of [1, 2, 3]) await addAndSeal(other, count, { isPublished })
}

const keysOf = (subscriberId: string) => {
  const prefix = Buffer.from(subscriberId.replaceAll('-', ''), 'hex')
  const end = (byte: number) => Buffer.concat([prefix, Buffer.alloc(8, byte)])
  return { _id: { $gte: end(0), $lte: end(0xff) } } as never
}

/** Changes the leaves of a log, and removes whatever was sealed of them. */
async function rewrite(subscriberId: string) {
  const pages = await logs.database.collection('log-pages').find(keysOf(subscriberId)).toArray()
  for (const { _id, count } of pages) {
    const leafHashes = new Binary(Buffer.alloc(32 * count, 7))
    await logs.database.collection('log-pages').updateOne({ _id }, { $set: { leafHashes } })
  }
  // So few leaves have nothing in `log-nodes`.
  await logs.database.collection('log-checkpoints').deleteMany(keysOf(subscriberId))
}

test(
  'a history that was rewritten is not signed by the sealer that signed another one, without a topic too',
  async () => {
    const sealer = await start(withoutTopic)
    const subscriberId = logs.newSubscriber()
    await addAndSeal(subscriberId, 5, { isPublished: false })
    await rewrite(subscriberId)
    await logs.storeEntries(subscriberId, 1)
    expect(await stoppedFor(subscriberId)).toBe(
      'A checkpoint of size 5 was signed by this process, but the log is sealed up to 0 only',
    )
    await untilLookedAgain({ isPublished: false })
    expect(await signedSizes(subscriberId)).toEqual([])
    expect(sealer.logs().some((line) => line.includes('HeraldLogConflict') && line.includes(subscriberId))).toBe(true)
    expect(sealer.logs().some((line) => line.includes('can have another history signed'))).toBe(true)
  },
  hangsAfterMs,
)

test(
  'an entry that was changed together with its leaf is not signed beside a running sealer; a restart forgets, as is warned of',
  async () => {
    const sealer = await start(withoutTopic)
    const subscriberId = logs.newSubscriber()
    await addAndSeal(subscriberId, 300, { isPublished: false })
    await forgeEntry(logs, subscriberId, 7)
    await logs.storeEntries(subscriberId, 1)
    expect(await stoppedFor(subscriberId)).toMatch(/^A checkpoint of size 300 was signed by this process/)
    await untilLookedAgain({ isPublished: false })
    expect(await signedSizes(subscriberId)).toEqual([])
    await sealer.restart()
    await eventually(async () => (await signedSizes(subscriberId)).at(-1) === 301)
    const note = (await newestNote(subscriberId)) ?? ''
    expect(await verifyNote(note, subscriberId, logs.key, await logs.leaves(subscriberId))).toBe(301)
  },
  hangsAfterMs,
)

test(
  'an entry that was changed together with its leaf is not signed after a restart, if its log was published',
  async () => {
    const sealer = await start()
    const subscriberId = logs.newSubscriber()
    await addAndSeal(subscriberId, 300)
    await forgeEntry(logs, subscriberId, 299)
    await logs.storeEntries(subscriberId, 1)
    await stoppedFor(subscriberId)
    await states.deleteMany({ _id: { $regex: /^conflict/ } })
    await sealer.restart()
    await stoppedFor(subscriberId)
    await untilLookedAgain()
    expect(await signedSizes(subscriberId)).toEqual([])
  },
  hangsAfterMs,
)

test(
  'an acceptance that was written by hand is none, in MongoDB and in the topic; a deleted conflict comes back',
  async () => {
    const sealer = await start()
    const subscriberId = logs.newSubscriber()
    await addAndSeal(subscriberId, 5)
    await sealer.stop()
    await rewrite(subscriberId)
    await logs.storeEntries(subscriberId, 1)
    await sealer.restart()
    await stoppedFor(subscriberId)

    const offsets = [0, 1, 2].map((partition) => ({ partition, offset: '1000000' }))
    const accepted = { topic: logs.topic, offsets, size: 0, acceptedAt: new Date(), v: 1 }
    await states.insertOne({ _id: `accepted/${subscriberId}`, ...accepted } as never)
    await untilLookedAgain()
    const acceptance = { subscriberId, size: 0, root: Buffer.alloc(32), topic: logs.topic }
    const ends = new Map(offsets.map(({ partition, offset }) => [partition, BigInt(offset)]))
    const forged = signAcceptance({ ...acceptance, offsets: ends }, origin, [newKey().signing])
    const unsigned = forged.slice(0, forged.indexOf('\n\n') + 1)
    const ofOther = signAcceptance({ ...acceptance, subscriberId: randomUUID(), offsets: ends }, origin, [
      logs.key.signing,
    ])
    for (const note of [unsigned, forged, ofOther]) {
      await states.replaceOne({ _id: `accepted/${subscriberId}` }, { note } as never, { upsert: true })
      await untilLookedAgain()
    }
    await logs.publish([forged, unsigned, ofOther, null].map((value) => ({ key: subscriberId, value })))
    await states.deleteMany({ _id: { $regex: /^conflict/ } })
    await stoppedFor(subscriberId)
    await sealer.restart()
    await untilLookedAgain()
    expect(await signedSizes(subscriberId)).toEqual([])
    expect(await logs.metric(sealer, 'herald_log_conflict')).toBeGreaterThanOrEqual(1)
  },
  hangsAfterMs,
)

test(
  'a copy of an acceptance is not needed: the topic has it; a log that goes back behind it stops',
  async () => {
    const sealer = await start()
    const subscriberId = logs.newSubscriber()
    await addAndSeal(subscriberId, 5)
    await sealer.stop()
    await rewrite(subscriberId)
    await sealer.restart()
    await logs.storeEntries(subscriberId, 1)
    await stoppedFor(subscriberId)
    expect(await logs.run(['--accept-restore', subscriberId])).toMatchObject({ code: 0 })
    await addAndSeal(subscriberId, 1)
    await sealer.stop()
    await states.deleteOne({ _id: `accepted/${subscriberId}` })
    await sealer.restart()
    await addAndSeal(subscriberId, 1)
    expect(await conflictOf(subscriberId)).toBeNull()
    await sealer.stop()
    await rewrite(subscriberId)
    await sealer.restart()
    await logs.storeEntries(subscriberId, 1)
    await stoppedFor(subscriberId)
  },
  hangsAfterMs,
)

test(
  'thousands of notes that no known key has signed stop one log with entries, and cost neither memory, documents nor lines',
  async () => {
    const sealer = await start()
    await logs.run(['--accept-restore', '--all'])
    await eventually(async () => (await states.countDocuments({ _id: { $regex: /^conflict/ } })) === 0)
    const victim = logs.newSubscriber()
    await addAndSeal(victim, 5)
    await sealer.stop()
    const stranger = newKey()
    const forge = (subscriberId: string) => {
      const note = signCheckpoint({ size: 3, root: Buffer.alloc(32, 1) }, `${origin}/${subscriberId}`, [
        stranger.signing,
      ])
      const line = `— ${origin}/${'x'.repeat(400)} ${Buffer.alloc(68, 3).toString('base64')}\n`
      return { key: subscriberId, value: note + line.repeat(16) }
    }
    expect(forge(victim).value.length).toBeGreaterThan(8_000)
    for (let n = 0; n < 50; n++) await logs.publish(Array.from({ length: 100 }, () => forge(randomUUID())))
    await logs.publish([forge(victim)])
    const before = sealer.logs().length
    await sealer.restart()
    expect(await stoppedFor(victim)).toContain('that no known key has signed')
    await untilLookedAgain()
    expect(await states.countDocuments({ _id: { $regex: /^conflict/ } })).toBe(1)
    expect(await logs.metric(sealer, 'herald_log_foreign_notes_total')).toBe(5_001)
    expect(await logs.metric(sealer, 'herald_log_conflict')).toBe(1)
    const lines = sealer.logs().slice(before)
    expect(lines.filter((line) => /"level":"(warn|error)"/.test(line)).length).toBeLessThanOrEqual(2)
    expect(lines.join('').length).toBeLessThan(20_000)
    const mostMiB =
      Number(/VmHWM:\s+(\d+)/.exec(execFileSync('cat', [`/proc/${sealer.pid}/status`]).toString())?.[1]) / 1024
    expect(mostMiB).toBeLessThan(256)
    const all = await logs.run(['--accept-restore', '--all'])
    expect(all).toMatchObject({ code: 0, output: expect.stringContaining('1 of 1 logs were accepted') })
    await addAndSeal(victim, 1)
  },
  hangsAfterMs,
)

test(
  'several restored logs are accepted at once, beside one of which there is nothing to accept',
  async () => {
    const sealer = await start()
    const [one, two, whole] = [logs.newSubscriber(), logs.newSubscriber(), logs.newSubscriber()]
    for (const subscriberId of [one, two, whole]) await addAndSeal(subscriberId, 3)
    await sealer.stop()
    for (const subscriberId of [one, two]) await rewrite(subscriberId)
    await sealer.restart()
    for (const subscriberId of [one, two]) {
      await logs.storeEntries(subscriberId, 1)
      await stoppedFor(subscriberId)
    }
    const ran = await logs.run(['--accept-restore', one, two, whole])
    expect(ran).toMatchObject({ code: 0, output: expect.stringContaining('2 of 3 logs were accepted') })
    for (const subscriberId of [one, two, whole]) await addAndSeal(subscriberId, 1)
  },
  hangsAfterMs,
)

test(
  'another key than the one in use needs --accept-key, and a key that was struck from MongoDB leaves notes of nobody',
  async () => {
    await start()
    const subscriberId = logs.newSubscriber()
    await addAndSeal(subscriberId, 3)
    const next = newKey()
    const refused = await logs.run([], { LOG_SIGNING_KEY: next.pem })
    expect(refused.code).toBe(1)
    expect(refused.output).toContain('is neither LOG_SIGNING_KEY nor LOG_SIGNING_KEY_PREVIOUS')
    for (const sealer of running.splice(0)) await sealer.stop()

    const accepting = await start({ LOG_SIGNING_KEY: next.pem }, ['--accept-key'])
    await addAndSeal(subscriberId, 1)
    await accepting.stop()
    const keys = (await states.findOne({ _id: 'sealing' }))?.keys ?? []
    expect(keys).toHaveLength(2)
    await states.updateOne({ _id: 'sealing' }, { $set: { keys: keys.slice(0, 1) } })
    await rewrite(subscriberId)
    await logs.storeEntries(subscriberId, 1)
    await start({ LOG_SIGNING_KEY: next.pem })
    await stoppedFor(subscriberId)
    await states.updateOne({ _id: 'sealing' }, { $set: { keys: keys.toReversed() } })
  },
  hangsAfterMs,
)

test(
  'says that its topic will forget what it publishes, and stays ready',
  async () => {
    const topic = `${logs.topic}-compacted`
    const kafka = new kafkajs.Kafka({ brokers: (process.env.KAFKA_BROKERS ?? '').split(','), logLevel: 0 })
    const admin = kafka.admin()
    await admin.connect()
    const configEntries = [{ name: 'cleanup.policy', value: 'compact' }]
    await createTopic(admin, { topic, numPartitions: 1, configEntries })
    await admin.disconnect()
    const sealer = await start({ KAFKA_CHECKPOINT_TOPIC: topic })
    await eventually(async () => (await logs.metric(sealer, 'herald_log_topic_forgets')) === 1)
    const ready = await fetch(`${sealer.adminUrl}/readyz`)
    expect(ready.status).toBe(200)
    expect(await ready.text()).toContain('forgets checkpoints: cleanup.policy is compact')
    await sealer.stop()
    const keeping = await start()
    await eventually(async () => (await logs.metric(keeping, 'herald_log_topic_forgets')) === 0)
  },
  hangsAfterMs,
)
