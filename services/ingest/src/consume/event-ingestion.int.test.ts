import { randomUUID } from 'node:crypto'
import { deriveEventId } from '@herald/contracts'
import { createTopics, eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import kafkajs, { type Admin, type Message, type Producer } from 'kafkajs'
import { deleteTopic } from '../deleted-topic.fixture.ts'
import { mentionData } from '../events/records.fixture.ts'
import { createTestIngest, type TestIngest } from '../ingest.fixture.ts'

// The tests share one consumer, which starts before the topics exist, and depend on each other.
let ingest: TestIngest
let kafka: kafkajs.Kafka
let admin: Admin
let producer: Producer

const subscriberId = randomUUID()

beforeAll(async () => {
  ingest = await createTestIngest('events-in')
  await ingest.migrate()
  kafka = new kafkajs.Kafka({ clientId: 'test', brokers: ingest.brokers, logLevel: kafkajs.logLevel.NOTHING })
  admin = kafka.admin()
  producer = kafka.producer({ allowAutoTopicCreation: false })
  await Promise.all([admin.connect(), producer.connect()])
  ingest.events.start()
})
afterAll(async () => {
  await ingest?.stop()
  await admin?.deleteGroups([ingest.groupId])
  await Promise.all([admin?.disconnect(), producer?.disconnect()])
})

/** Creates a mention of one recipient, and a check whether it is stored. */
function newMention() {
  const [recipientId, id, time] = [randomUUID(), randomUUID(), new Date()]
  const type = 'herald.mention.created.v1'
  const event = { specversion: '1.0', id, source: '/test', type, time: time.toISOString(), subscriberid: subscriberId }
  const notificationId = deriveEventId({ subscriberId, source: '/test', id, time: time.getTime() })
  return {
    message: {
      key: subscriberId,
      value: JSON.stringify({ ...event, data: mentionData({ recipientIds: [recipientId] }) }),
      headers: { 'content-type': 'application/cloudevents+json' },
    },
    isStored: async () =>
      (await ingest.store.notifications.of({ subscriberId, recipientId }).get(notificationId)) !== null,
  }
}

const send = (partition: number, ...messages: readonly Message[]) =>
  producer.send({ topic: ingest.topics.mention, messages: messages.map((message) => ({ ...message, partition })) })

async function readiness() {
  const { statusCode, body } = await ingest.admin.app.inject('/readyz')
  const { checks } = JSON.parse(body) as { checks: { name: string; ok: boolean; detail: string }[] }
  return { statusCode, kafka: checks.find(({ name }) => name === 'kafka') }
}

/** The lag of the group for each partition of the mention topic. */
async function lags(): Promise<number[]> {
  const { mention: topic } = ingest.topics
  const [committed] = await admin.fetchOffsets({ groupId: ingest.groupId, topics: [topic] })
  const ends = await admin.fetchTopicOffsets(topic)
  return ends
    .toSorted((a, b) => a.partition - b.partition)
    .map(({ partition, high }) => {
      const offset = committed?.partitions.find((candidate) => candidate.partition === partition)?.offset ?? '-1'
      return Number(high) - Math.max(0, Number(offset))
    })
}

const deadLettersUntil = async (isEnough: (messages: readonly kafkajs.KafkaMessage[]) => boolean) => {
  const consumer = kafka.consumer({ groupId: `dead-letters-${randomUUID()}`, maxWaitTimeInMs: 100 })
  await consumer.connect()
  await consumer.subscribe({ topics: [ingest.topics.deadLetter], fromBeginning: true })
  const found: kafkajs.KafkaMessage[] = []
  await consumer.run({ autoCommit: false, eachMessage: async ({ message }) => void found.push(message) })
  await eventually(() => isEnough(found)).finally(() => consumer.disconnect())
  return found
}

test('reports missing topics and waits for them', async () => {
  const { kafka: check, statusCode } = await readiness()
  expect([statusCode, check?.ok]).toEqual([503, false])
  for (const topic of Object.values(ingest.topics)) expect(check?.detail).toContain(`The topic ${topic} does not exist`)
  expect((await ingest.admin.app.inject('/livez')).statusCode).toBe(200)

  await createTopics(ingest.brokers, { ...ingest.topics })
  const mention = newMention()
  await send(0, mention.message)
  await eventually(mention.isStored)
  expect(await readiness()).toMatchObject({ statusCode: 200, kafka: { ok: true } })
})

test('holds back only the partition of a bad record while the dead-letter topic is missing', async () => {
  await deleteTopic(admin, ingest.topics.deadLetter)
  const [blocked, other, later] = [newMention(), newMention(), newMention()]
  await send(1, { key: 'bad', value: 'nonsense' }, blocked.message)
  await send(2, other.message)
  await eventually(other.isStored)
  await eventually(async () => (await lags())[2] === 0)
  expect((await lags())[1]).toBe(2)
  // Still true after the partition has been retried several times; the other partitions continue.
  const retries = await ingest.metric('herald_chunk_retries_total', ingest.topics.mention)
  await eventually(async () => (await ingest.metric('herald_chunk_retries_total', ingest.topics.mention)) > retries + 3)
  await send(0, later.message)
  await eventually(later.isStored)
  expect((await lags())[1]).toBe(2)
  // Still alive and ready, since `POST /` does not need Kafka.
  expect((await ingest.admin.app.inject('/livez')).statusCode).toBe(200)
  expect((await readiness()).statusCode).toBe(200)

  await createTopics(ingest.brokers, { ...ingest.topics })
  await eventually(async () => (await lags()).every((lag) => lag === 0))
  expect(await blocked.isStored()).toBe(true)
  const [letter] = await deadLettersUntil(({ length }) => length > 0)
  expect(String(letter?.value)).toBe('nonsense')
  expect(String(letter?.headers?.['herald-origin-partition'])).toBe('1')
}, 300_000)

test('reads committed transactions up to the last marker and ignores aborted ones', async () => {
  const transactional = kafka.producer({ transactionalId: randomUUID(), idempotent: true, maxInFlightRequests: 1 })
  await transactional.connect()
  const [committed, aborted] = [newMention(), newMention()]
  const commit = await transactional.transaction()
  await commit.send({ topic: ingest.topics.mention, messages: [{ ...committed.message, partition: 0 }] })
  await commit.commit()
  const abort = await transactional.transaction()
  await abort.send({ topic: ingest.topics.mention, messages: [{ ...aborted.message, partition: 0 }] })
  await abort.abort()
  await transactional.disconnect()
  const last = newMention()
  await send(0, last.message)
  await eventually(last.isStored)
  expect([await committed.isStored(), await aborted.isStored()]).toEqual([true, false])
  await eventually(async () => (await lags())[0] === 0)
})

test('keeps repeated headers and headers with unusual names in the dead letter', async () => {
  await send(2, { key: null, value: 'headers', headers: { many: ['1', '2'], 'Ü 🔑': 'x', '': 'empty' } })
  const letters = await deadLettersUntil((found) => found.some(({ value }) => String(value) === 'headers'))
  const letter = letters.find(({ value }) => String(value) === 'headers')
  expect(letter?.key).toBeNull()
  expect(letter?.headers).toMatchObject({
    many: [Buffer.from('1'), Buffer.from('2')],
    'Ü 🔑': Buffer.from('x'),
    '': Buffer.from('empty'),
  })
  await eventually(async () => (await lags())[2] === 0)
})

test.each(['constructor', 'toString', '__proto__'])(
  'dead-letters a record with a header named %s, including the header, without holding back other records',
  async (name) => {
    await send(1, { value: `odd ${name}`, headers: Object.fromEntries([[name, 'x']]) })
    const isIt = ({ value }: { value: unknown }) => String(value) === `odd ${name}`
    const letter = (await deadLettersUntil((found) => found.some(isIt))).find(isIt)
    expect(Object.entries(letter?.headers ?? {}).find(([found]) => found === name)?.[1]).toEqual(Buffer.from('x'))
    await eventually(async () => (await lags())[1] === 0)
  },
)
