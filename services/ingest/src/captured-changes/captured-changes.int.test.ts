import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { IncomingRecord } from '@herald/kafka'
import {
  createTopics,
  eventually,
  type StartedReplicaSet,
  startReplicaSet,
  topicsWithSuffix,
} from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import kafkajs, { type IHeaders, type KafkaMessage, type Producer } from 'kafkajs'
import { type Binary, MongoClient } from 'mongodb'
import { createTestIngest, type TestIngest } from '../ingest.fixture.ts'
import { decideSamples } from './golden.fixture.ts'
import { envelopeOf, recordOf, rowOf, subscriberId } from './records.fixture.ts'

// MongoDB is started here, because its commands are made to fail and to wait.
const name = `captured-${randomBytes(4).toString('hex')}`
const brokers = (process.env.KAFKA_BROKERS ?? '').split(',')
const kafka = new kafkajs.Kafka({ clientId: name, brokers, logLevel: kafkajs.logLevel.NOTHING })
const folder = mkdtempSync(join(tmpdir(), 'captured-'))
const mappingFile = join(folder, 'mappings.yaml')
/** The topic of the test's own records, and the prefix of the topics of samples. */
const ownTopic = `${name}.own`
const samplesFile = 'postgres-json.ndjson'
const samples = decideSamples(samplesFile)

const ownMapping = (subscriber: string) => `
  ${ownTopic}:
    entityType: customer
    subscriberId: ${subscriber}
    entityId: id
    entityTitle: name
    user: { id: changed_by }
    replicaIdentity: full
    redact: [secret]
`
const sampleMappings = readFileSync(new URL('samples/postgres.yaml', import.meta.url), 'utf8')
const writeMappings = (subscriber: string) =>
  writeFileSync(
    mappingFile,
    sampleMappings.replaceAll(/^ {2}([a-z]+\.\S*:)/gm, `  ${name}.$1`) + ownMapping(subscriber),
  )
const mappedTopics = [...sampleMappings.matchAll(/^ {2}([a-z]+\.\S*):/gm)].map(([, topic]) => `${name}.${topic}`)

let mongodb: StartedReplicaSet
let client: MongoClient
let ingest: TestIngest
let producer: Producer

async function startIngest(): Promise<void> {
  ingest = await createTestIngest('captured', { environment: { MONGODB_URI: mongodb.uri, CDC_MAPPINGS: mappingFile } })
  await ingest.migrate()
  ingest.events.start()
}

beforeAll(async () => {
  writeMappings('tenant')
  mongodb = await startReplicaSet({ parameters: ['enableTestCommands=1'] })
  client = await MongoClient.connect(mongodb.uri)
  const topics = topicsWithSuffix(`captured-${process.pid}`)
  const all = [ownTopic, ...mappedTopics].map((topic) => [topic, topic])
  await createTopics(brokers, { ...topics, ...Object.fromEntries(all) }, { partitions: 1 })
  await startIngest()
  producer = kafka.producer({ allowAutoTopicCreation: false })
  await producer.connect()
}, 300_000)

afterAll(async () => {
  await producer?.disconnect()
  await ingest?.stop()
  await client?.close()
  await mongodb?.stop()
  rmSync(folder, { recursive: true })
})

const publish = (topic: string, ...records: readonly IncomingRecord[]) =>
  producer.send({
    topic,
    messages: records.map(({ key, value, headers }) => ({ key, value, headers: headers as IHeaders })),
  })

const entries = () => client.db(ingest.database).collection<{ _id: Binary; changedField: string }>('change-entries')

/** The ids of the stored entries of an entity. */
async function storedIds(filter: object = {}): Promise<string[]> {
  const found = await entries()
    .find(filter, { projection: { _id: 1 } })
    .toArray()
  const hexIds = found.map(({ _id }) => Buffer.from(_id.buffer).subarray(16).toString('hex'))
  return hexIds.map((hex) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')).sort()
}

/** Publishes a record behind the others of its topic, and waits until it is stored. */
async function untilHandled(topic: string): Promise<void> {
  const id = randomUUID()
  const after = rowOf({ id })
  await publish(topic, recordOf(envelopeOf({ op: 'c', before: null, after }, { ts_ms: Date.now() }), { id }))
  await eventually(async () => (await entries().countDocuments({ entityId: id })) === 1)
  await entries().deleteOne({ entityId: id })
}

async function readDeadLetters(count: number): Promise<KafkaMessage[]> {
  const consumer = kafka.consumer({ groupId: randomUUID(), maxWaitTimeInMs: 100 })
  const letters: KafkaMessage[] = []
  await consumer.connect()
  await consumer.subscribe({ topic: ingest.topics.deadLetter, fromBeginning: true })
  await consumer.run({ autoCommit: false, eachMessage: async ({ message }) => void letters.push(message) })
  await eventually(() => letters.length >= count).finally(() => consumer.disconnect())
  return letters
}

/** Makes the inserts of ingest fail. */
const failInserts = (mode: object | string, data: object = {}) =>
  client.db('admin').command({
    configureFailPoint: 'failCommand',
    mode,
    data: { failCommands: ['insert'], appName: 'herald-ingest', ...data },
  })

const idsOf = (all: typeof samples) =>
  all.flatMap(({ decision }) => (decision.kind === 'change-entries' ? decision.documents.map(({ id }) => id) : []))

test('records of a connector become entries, dead letters, or nothing', async () => {
  const mapped = samples.filter(({ record }) => mappedTopics.includes(`${name}.${record.topic}`))
  for (const { record } of mapped) await publish(`${name}.${record.topic}`, record)
  const expected = idsOf(mapped).sort()
  expect(expected.length).toBeGreaterThan(20)
  await eventually(async () => (await entries().countDocuments()) >= expected.length)
  expect(await storedIds()).toEqual(expected)

  const refused = mapped.flatMap(({ decision }) => (decision.kind === 'dead-letter' ? [decision.code] : []))
  const letters = await readDeadLetters(refused.length)
  expect(letters.map(({ headers }) => String(headers?.['herald-error-code'])).sort()).toEqual(refused.sort())
  const skipped = mapped.filter(({ decision }) => decision.kind === 'skipped')
  await eventually(async () => (await ingest.metric('herald_events_total', 'outcome="skipped"')) === skipped.length)
}, 300_000)

test('records that are delivered again double nothing', async () => {
  const before = await storedIds()
  const again = samples.filter(({ record }) => record.topic === 'shop.public.customer')
  await publish(`${name}.shop.public.customer`, ...again.map(({ record }) => record))
  const stored = again.filter(({ decision }) => decision.kind === 'change-entries').length
  const labels = ['outcome="stored"', `topic="${name}.shop.public.customer"`]
  await eventually(async () => (await ingest.metric('herald_events_total', ...labels)) === 2 * stored)
  expect(await storedIds()).toEqual(before)
}, 300_000)

test('an entry is read like any other', async () => {
  const log = ingest.store.changeEntries.of(subscriberId)
  const { data } = JSON.parse(String(await log.list({ changedField: 'big' }, 20)))
  expect(data.changeEntries).toEqual([
    expect.objectContaining({
      actionType: 'update',
      entityType: 'customer',
      entityId: '2',
      entityTitle: 'Bo Sample',
      user: expect.objectContaining({ name: 'Importer', email: '' }),
      beforeState: '-9007199254740993',
      afterState: '9007199254740995',
    }),
  ])
})

/** Changes of 200 fields each. */
function wideChanges(count: number, entityId: string): IncomingRecord[] {
  const fields = (value: number) => Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`f${n}`, value]))
  return Array.from({ length: count }, (_, n) => {
    const [before, after] = [rowOf({ id: entityId, ...fields(n) }), rowOf({ id: entityId, ...fields(n + 1) })]
    return recordOf(envelopeOf({ before, after }, { lsn: 30_000_000 + n, ts_ms: 1_767_225_600_000 + n }), {
      id: entityId,
    })
  })
}

test('ingest is stopped after it has stored some of the entries of a record', async () => {
  // 1,200 entries are two inserts, of which the second fails until ingest is stopped.
  await failInserts({ skip: 1 }, { errorCode: 91 })
  await publish(ownTopic, ...wideChanges(6, 'killed'))
  const count = () => entries().countDocuments({ entityId: 'killed' })
  await eventually(async () => (await count()) === 1_000)
  await ingest.stop()
  await failInserts('off')
  const stored = await storedIds({ entityId: 'killed' })
  expect(stored).toHaveLength(1_000)
  await startIngest()
  await eventually(async () => (await count()) >= 1_200)
  await untilHandled(ownTopic)
  const all = await storedIds({ entityId: 'killed' })
  expect(all).toHaveLength(1_200)
  expect(all).toEqual(expect.arrayContaining(stored))
}, 300_000)

test('MongoDB is unavailable in the middle', async () => {
  await failInserts({ skip: 1 }, { errorCode: 91 })
  await publish(ownTopic, ...wideChanges(6, 'away'))
  await eventually(async () => (await ingest.metric('herald_chunk_retries_total', `topic="${ownTopic}"`)) > 0)
  await failInserts('off')
  await eventually(async () => (await entries().countDocuments({ entityId: 'away' })) >= 1_200)
  await untilHandled(ownTopic)
  expect(new Set(await storedIds({ entityId: 'away' })).size).toBe(1_200)
  expect(await entries().countDocuments({ entityId: 'away' })).toBe(1_200)
}, 300_000)

test('a dead letter hides redacted fields and makes the same entries once the mapping is corrected', async () => {
  const before = rowOf({ id: 'healed', tenant: 'acme', owner: subscriberId, secret: 'hush-1', n: 1 })
  const record = recordOf(envelopeOf({ before, after: { ...before, secret: 'hush-2', n: 2 } }), { id: 'healed' })
  const earlier = (await readDeadLetters(0)).length
  await publish(ownTopic, record)
  await untilHandled(ownTopic)
  const letters = await readDeadLetters(earlier + 1)
  const letter = letters.find(({ headers }) => String(headers?.['herald-error-code']) === 'subscriber_missing')
  expect(String(letter?.value)).toContain('"secret":"[redacted]"')
  for (const { value } of letters) expect(String(value)).not.toContain('hush')

  writeMappings('owner')
  await ingest.stop()
  await startIngest()
  const command = fileURLToPath(new URL('../../operator/herald.mjs', import.meta.url))
  const environment = {
    ...process.env,
    KAFKA_BROKERS: brokers.join(','),
    KAFKA_DEAD_LETTER_TOPIC: ingest.topics.deadLetter,
    CDC_MAPPINGS: mappingFile,
  }
  await promisify(execFile)(process.execPath, [command, 'dead-letters', 'replay', '--code', 'subscriber_missing'], {
    env: environment,
  })
  await eventually(async () => (await entries().countDocuments({ entityId: 'healed' })) === 2)
  expect(
    await entries()
      .find({ entityId: 'healed' })
      .project({ _id: 0, changedField: 1, beforeState: 1, afterState: 1 })
      .toArray(),
  ).toEqual(
    expect.arrayContaining([
      { changedField: 'secret', beforeState: '"[redacted]"', afterState: '"[redacted]"' },
      { changedField: 'n', beforeState: '1', afterState: '2' },
    ]),
  )
}, 300_000)
