import { randomBytes, randomUUID } from 'node:crypto'
import { makeUuidV7 } from '@herald/contracts'
import { createStore, type Store } from '@herald/store'
import { createTopics, eventually, type StartedReplicaSet, startReplicaSet } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import kafkajs, { type Admin } from 'kafkajs'
import { MongoClient } from 'mongodb'
import { attributes, mentionData, structured } from '../events/records.fixture.ts'
import { createTestIngest, type TestIngest } from '../ingest.fixture.ts'

let servers: StartedReplicaSet
let client: MongoClient
let ingest: TestIngest
let store: Store
let admin: Admin
const brokers = (process.env.KAFKA_BROKERS ?? '').split(',')
const kafka = new kafkajs.Kafka({ clientId: 'test', brokers, logLevel: kafkajs.logLevel.NOTHING })

beforeAll(async () => {
  servers = await startReplicaSet({ parameters: ['enableTestCommands=1'] })
  client = await MongoClient.connect(servers.uri)
  ingest = await createTestIngest('slow-storage', { MONGODB_URI: servers.uri })
  await createTopics(brokers, ingest.topics, { partitions: 1 })
  store = createStore({ uri: servers.uri, database: ingest.database, applicationName: 'test' })
  await store.migrate()
  admin = kafka.admin()
  await admin.connect()
}, 300_000)
afterAll(async () => {
  await admin?.disconnect()
  await ingest?.stop()
  await store?.close()
  await client?.close()
  await servers?.stop()
})

/** Delays each MongoDB command of this name that ingest sends. */
const delay = (command: string, blockTimeMS: number) =>
  client.db('admin').command({
    configureFailPoint: 'failCommand',
    mode: 'alwaysOn',
    data: { failCommands: [command], blockConnection: true, blockTimeMS, appName: 'herald-ingest' },
  })

/** Stores a notification for this many recipients and returns a receipt of each. */
async function receiptsFor(recipients: number) {
  const subscriberId = randomUUID()
  const createdAt = new Date()
  const id = makeUuidV7(createdAt.getTime(), randomBytes(10))
  const { recipientIds: _, metadata, ...data } = mentionData()
  const recipientIds = Array.from({ length: recipients }, () => randomUUID())
  const content = { ...data, id, subscriberId, createdAt, metadata: JSON.stringify(metadata), recipientIds }
  await store.notifications.insertNew([{ ...content, type: 'mention' } as never])
  return recipientIds.map((recipientId) => {
    const type = 'herald.email.sent.v1'
    const time = createdAt.toISOString()
    const event = attributes({ id: randomUUID(), type, time, subscriberid: subscriberId })
    const { value, headers } = structured(event, { notificationId: id, recipientId })
    return { key: subscriberId, value, headers: headers as Record<string, Buffer> }
  })
}

const committed = async () => {
  // A busy broker may be unable to read its groups for a moment.
  const found = await admin.fetchOffsets({ groupId: ingest.groupId, topics: [ingest.topics.receipt] }).catch(() => [])
  return Number(found[0]?.partitions[0]?.offset)
}

test('commits receipts even if a chunk takes longer than the session timeout', async () => {
  const receipts = await receiptsFor(500)
  // 250 receipts per chunk, 32 at once: 12 s per chunk.
  await delay('update', 1_500)
  const producer = kafka.producer()
  await producer.connect()
  await producer.send({ topic: ingest.topics.receipt, messages: receipts })
  await producer.disconnect()
  ingest.events.start()
  await eventually(async () => (await committed()) === 500, { within: 100_000 })
  expect((await ingest.admin.app.inject('/livez')).statusCode).toBe(200)
}, 300_000)
