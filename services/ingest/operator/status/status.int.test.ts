import { connectTestClients } from '@herald/kafka/testing'
import { createTopics, findFreePort } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { commitOffset } from '#ingest/committed-offset.fixture'
import { attributes, mentionData, structured } from '#ingest/events/records.fixture'
import { createNewIngest, type TestIngest } from '#ingest/ingest.fixture'
import { commandEnvironment, runHerald, runHere } from '../command-line/herald.fixture.ts'

const { producer } = connectTestClients()
let ingest: TestIngest
let environment: Record<string, string>

beforeAll(async () => {
  ingest = await createNewIngest('status')
  environment = commandEnvironment(ingest)
}, 300_000)
afterAll(() => ingest?.stop())

const status = (words: readonly string[] = [], changes: Record<string, string> = {}) =>
  runHere(['status', ...words], { ...environment, ...changes })

test('names what is missing before Herald is set up', async () => {
  const { exitCode, stdout } = await status()
  expect(exitCode).toBe(1)
  expect(stdout).toContain(`! The topic ${ingest.topics.mention} does not exist`)
  expect(stdout).toContain('! MongoDB: collection notifications is missing; run migrate')
}, 300_000)

test('shows lag and rate of each partition, and the state of MongoDB', async () => {
  await createTopics(ingest.brokers, ingest.topics, { partitions: 1 })
  await ingest.migrate()
  const { value, headers } = structured(attributes(), mentionData())
  const messages = [1, 2, 3].map(() => ({ value, headers: headers as Record<string, Buffer>, partition: 0 }))
  await producer.send({ topic: ingest.topics.mention, messages })
  const { groupId } = ingest
  await commitOffset(ingest.brokers, { groupId, topic: ingest.topics.mention, partition: 0, offset: 1 })
  const now = new Date()
  const receipt = {
    subscriberId: crypto.randomUUID(),
    recipientId: crypto.randomUUID(),
    notificationId: crypto.randomUUID(),
  }
  await ingest.store.receipts.apply(
    [{ ...receipt, kind: 'read', at: now, eventId: crypto.randomUUID(), record: '{}' }],
    { now, group: ingest.groupId },
  )
  const json = await status(['--json'])
  const standing = `${ingest.topics.mention}/0: 2 records wait, and nothing was stored for 30 s. Runbook: No progress`
  expect([json.exitCode, json.stderr]).toEqual([1, ''])
  expect(JSON.parse(json.stdout)).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    group: ingest.groupId,
    problems: [standing],
    kafka: {
      partitions: expect.arrayContaining([
        { topic: ingest.topics.mention, partition: 0, lag: 2, published: 0, stored: 0 },
      ]),
    },
    mongodb: {
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      waitingReceipts: { count: 1, oldest: now.toISOString() },
      interruptedRequests: { count: 0 },
    },
  })
  const { stdout } = await status()
  expect(stdout).toMatch(new RegExp(`${ingest.topics.mention}/0 +2 +0 +0 +never`))
  expect(stdout).toContain(`! ${standing}`)
  await commitOffset(ingest.brokers, { groupId, topic: ingest.topics.mention, partition: 0, offset: 3 })
  expect((await status()).stdout).toContain('everything is in place')
  expect(stdout).toMatch(/recorded order +no sequencer has run/)
  // Plain in a pipe.
  expect(stdout).not.toContain('\x1b')
}, 300_000)

test('exits with 1 and one JSON object if a topic is missing', async () => {
  const missing = `missing-${process.pid}`
  const { exitCode, stdout } = await status(['--json'], { KAFKA_CHANGE_TOPIC: missing })
  expect(exitCode).toBe(1)
  expect(JSON.parse(stdout).problems).toContainEqual(expect.stringContaining(missing))
}, 300_000)

test('shows how far the recorded order is behind, and names sealed logs that are stopped', async () => {
  const { sequencer } = ingest.store
  const client = new MongoClient(process.env.MONGODB_URI ?? '')
  try {
    const logState = client.db(ingest.database).collection<{ _id: string }>('log-state')
    const isLevel = async () => (await logState.countDocuments({ levelAt: { $exists: true } })) > 0
    await sequencer.work(
      async () => !(await isLevel()),
      () => {},
    )
    const conflict = { v: 1, reason: 'The reason', foundAt: new Date() }
    await logState.insertOne({ _id: `conflict/${crypto.randomUUID()}`, ...conflict })
    const { exitCode, stdout } = await status()
    expect(exitCode).toBe(1)
    expect(stdout).toContain('! 1 sealed log is stopped; see herald log status\n')
    expect(stdout).toMatch(/recorded order +\d+ s behind what is stored/)
    await logState.deleteMany({ _id: /^conflict/ })
  } finally {
    await client.close()
  }
}, 300_000)

test('names erasures, announcements and requests that stand still, by MongoDB’s clock', async () => {
  const client = new MongoClient(process.env.MONGODB_URI ?? '')
  const subscriberId = crypto.randomUUID()
  const erasure = { subscriberId, eventId: crypto.randomUUID(), personId: crypto.randomUUID(), time: new Date() }
  try {
    const database = client.db(ingest.database)
    const erasures = database.collection('erasures')
    const fanOuts = database.collection('fan-outs')
    await ingest.store.erasures.accept([erasure])
    expect((await status()).stdout).toContain('everything is in place')
    const ago = (seconds: number) => ({ $subtract: ['$$NOW', seconds * 1_000] })
    await erasures.updateMany({ work: { $exists: true } }, [{ $set: { 'work.since': ago(400) } }])
    const announced = { _id: Buffer.from(crypto.randomUUID()), v: 1, announceAt: new Date() }
    await fanOuts.insertOne(announced as never)
    await fanOuts.updateMany({}, [{ $set: { announceAt: ago(500) } }])
    // Announcements wait for ever without their topic.
    const { stdout } = await status()
    expect(stdout.match(/^! .*/gm)).toEqual([
      expect.stringMatching(/^! 1 erasures stand still, the oldest for 40\d s$/),
    ])
    const { stdout: json, exitCode } = await status(['--json'], { KAFKA_NOTIFICATION_TOPIC: 'notification-events' })
    expect([JSON.parse(json).problems, exitCode]).toEqual([
      [
        expect.stringMatching(/^1 erasures stand still/),
        expect.stringMatching(/^1 announcements wait, the oldest for 50\d s$/),
      ],
      1,
    ])
    await fanOuts.updateMany({}, [{ $unset: 'announceAt' }, { $set: { dueAt: ago(600), createdAt: ago(660) } }])
    expect((await status()).stdout).toMatch(/^! 1 interrupted requests wait, the oldest for 66\d s$/m)
    await Promise.all([erasures.deleteMany({}), fanOuts.deleteMany({})])
  } finally {
    await client.close()
  }
}, 300_000)

test('names an order that is a minute behind', async () => {
  const client = new MongoClient(process.env.MONGODB_URI ?? '')
  try {
    const logState = client.db(ingest.database).collection<{ _id: string }>('log-state')
    await logState.updateOne({ _id: 'order' }, [{ $set: { levelAt: { $subtract: ['$levelAt', 3_600_000] } } }])
    const { exitCode, stdout } = await status()
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/^! The recorded order is \d+ s behind/m)])
    await logState.deleteOne({ _id: 'order' })
  } finally {
    await client.close()
  }
}, 300_000)

test('has colours in a pipe with FORCE_COLOR only', async () => {
  const { stdout } = await runHerald(['status', '--interval', '1'], { ...environment, FORCE_COLOR: '1' })
  expect(stdout).toContain('\x1b[32m  everything is in place\x1b[39m')
}, 300_000)

test('shows the other one while MongoDB or the brokers are unavailable', async () => {
  const uri = `mongodb://127.0.0.1:${await findFreePort()}/?replicaSet=none`
  const withoutMongodb = await status([], { MONGODB_URI: uri })
  expect(withoutMongodb.exitCode).toBe(1)
  expect(withoutMongodb.stdout).toMatch(/^! MongoDB is unavailable: .+$/m)
  expect(withoutMongodb.stdout).toContain(`${ingest.topics.mention}/0`)
  const withoutKafka = await status([], { KAFKA_BROKERS: `127.0.0.1:${await findFreePort()}` })
  expect(withoutKafka.exitCode).toBe(1)
  expect(withoutKafka.stdout).toMatch(/^! Kafka is unavailable: .+$/m)
  expect(withoutKafka.stdout).toContain('waiting receipts')
}, 300_000)
