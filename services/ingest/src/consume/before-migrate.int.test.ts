import { randomUUID } from 'node:crypto'
import { createTopics, eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import kafkajs, { type Producer } from 'kafkajs'
import { MongoClient } from 'mongodb'
import { attributes, mentionData, structured } from '../events/records.fixture.ts'
import { createNewIngest, type TestIngest } from '../ingest.fixture.ts'

let ingest: TestIngest
let producer: Producer
const client = new MongoClient(process.env.MONGODB_URI ?? '')

beforeAll(async () => {
  ingest = await createNewIngest('before-migrate')
  const raw = new kafkajs.Kafka({ clientId: 'test', brokers: ingest.brokers, logLevel: kafkajs.logLevel.NOTHING })
  producer = raw.producer({ allowAutoTopicCreation: false })
  await Promise.all([producer.connect(), createTopics(ingest.brokers, ingest.topics, { partitions: 1 })])
})
afterAll(async () => {
  await producer?.disconnect()
  await ingest?.stop()
  await client.close()
})

const collections = () => client.db(ingest.database).listCollections({}, { nameOnly: true }).toArray()
const readyz = async () => (await ingest.admin.app.inject('/readyz')).statusCode
function body() {
  const { actor: _, ...content } = mentionData()
  return { ...content, type: 'mention' }
}

test('writes nothing before migrate has created the collections, and everything afterwards', async () => {
  const user = await ingest.newUser()
  ingest.events.start()
  const { value, headers } = structured(attributes({ id: randomUUID() }), mentionData())
  const message = { value, headers: headers as Record<string, Buffer> }
  await producer.send({ topic: ingest.topics.mention, messages: [message] })
  for (const keys of [[], ['k']]) {
    const answer = await user.post(body(), ...keys)
    expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([503, 'storage_unavailable', '5'])
  }
  expect(await readyz()).toBe(503)
  expect((await ingest.admin.app.inject('/livez')).statusCode).toBe(200)
  await expect(ingest.store.streamKeys.get()).rejects.toThrow('ns does not exist')
  expect(await collections()).toEqual([])

  await ingest.migrate()
  expect((await user.post(body(), 'k')).status).toBe(201)
  await eventually(async () => (await client.db(ingest.database).collection('notifications').countDocuments()) === 2)
  await eventually(async () => (await readyz()) === 200)
})
