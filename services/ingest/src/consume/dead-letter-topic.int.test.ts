import { createTopics, eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import kafkajs, { type Admin, type Producer } from 'kafkajs'
import { deleteTopic } from '../deleted-topic.fixture.ts'
import { createTestIngest, type TestIngest } from '../ingest.fixture.ts'

let ingest: TestIngest
let admin: Admin
let producer: Producer

beforeAll(async () => {
  ingest = await createTestIngest('no-dead-letters')
  await ingest.migrate()
  const kafka = new kafkajs.Kafka({ clientId: 'test', brokers: ingest.brokers, logLevel: kafkajs.logLevel.NOTHING })
  admin = kafka.admin()
  producer = kafka.producer({ allowAutoTopicCreation: false })
  await Promise.all([admin.connect(), producer.connect()])
})
afterAll(async () => {
  await ingest?.stop()
  await Promise.all([admin?.disconnect(), producer?.disconnect()])
})

async function readiness() {
  const { statusCode, body } = await ingest.admin.app.inject('/readyz')
  const { checks } = JSON.parse(body) as { checks: { name: string; ok: boolean; detail?: string }[] }
  return { statusCode, ...checks.find(({ name }) => name === 'kafka') }
}

async function committed(): Promise<string[]> {
  const found = await admin.fetchOffsets({ groupId: ingest.groupId, topics: [ingest.topics.mention] })
  return found.flatMap(({ partitions }) => partitions.map(({ offset }) => offset))
}

test('reports a missing dead-letter topic at startup, commits no offsets, and continues once it is created', async () => {
  const { deadLetter, ...origins } = ingest.topics
  await createTopics(ingest.brokers, { ...ingest.topics })
  await deleteTopic(admin, deadLetter)
  const messages = [0, 1, 2].map((partition) => ({ partition, value: 'nonsense' }))
  await producer.send({ topic: origins.mention, messages })
  ingest.events.start()

  await eventually(() => ingest.logged('Consumer stopped, restarting') >= 3)
  expect(await readiness()).toMatchObject({
    statusCode: 503,
    ok: false,
    detail: `The topic ${deadLetter} does not exist`,
  })
  expect(await committed()).toEqual(['-1', '-1', '-1'])
  expect((await ingest.admin.app.inject('/livez')).statusCode).toBe(200)

  await createTopics(ingest.brokers, { ...ingest.topics })
  await eventually(async () => (await committed()).every((offset) => offset === '1'))
  await eventually(async () => (await readiness()).statusCode === 200)
  const ends = await admin.fetchTopicOffsets(deadLetter)
  expect(ends.reduce((sum, { high }) => sum + Number(high), 0)).toBe(3)
}, 300_000)
