import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import kafkajs, { Kafka, logLevel, Partitioners } from 'kafkajs'
import { createTopics, topicsWithSuffix } from './topics.ts'

const brokers = (process.env.KAFKA_BROKERS ?? '').split(',')
const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING })
const admin = kafka.admin()
const topics = topicsWithSuffix(randomUUID())

beforeAll(() => admin.connect())
afterAll(() => admin.disconnect())

test('creates topics once with their sizes and partitions', async () => {
  expect(await createTopics(brokers, topics, { partitions: 2 })).toEqual(topics)
  await createTopics(brokers, topics, { partitions: 2 })
  const { topics: made } = await admin.fetchTopicMetadata({ topics: Object.values(topics) })
  expect(made.map(({ partitions }) => partitions.length)).toEqual([2, 2, 2, 2, 2])
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: Object.values(topics).map((name) => ({
      type: kafkajs.ConfigResourceTypes.TOPIC,
      name,
      configNames: ['max.message.bytes'],
    })),
  })
  const largest = resources.map(({ configEntries }) => Number(configEntries[0]?.configValue))
  expect(largest).toEqual([1_114_112, 1_114_112, 1_114_112, 1_114_112, 2_097_152])
})

test('keeps every record of the topic of checkpoints', async () => {
  const checkpoint = `log-checkpoints-${randomUUID()}`
  expect(await createTopics(brokers, { ...topics, checkpoint })).toEqual(topics)
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [
      { type: kafkajs.ConfigResourceTypes.TOPIC, name: checkpoint, configNames: ['cleanup.policy', 'retention.ms'] },
    ],
  })
  const config = resources[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue])
  expect(Object.fromEntries(config ?? [])).toEqual({ 'cleanup.policy': 'delete', 'retention.ms': '-1' })
})

test('creates only missing topics', async () => {
  const mention = `mention-events-${randomUUID()}`
  await createTopics(brokers, { ...topics, mention })
  expect(await admin.listTopics()).toEqual(expect.arrayContaining([mention, topics.change]))
})

test('allows a value of 1 MiB with headers', async () => {
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  try {
    const message = { key: randomUUID(), value: Buffer.alloc(1024 * 1024), headers: { one: 'x'.repeat(1000) } }
    await producer.send({ topic: topics.mention, messages: [message] })
    const small = { ...message, value: Buffer.alloc(1200 * 1024) }
    await expect(producer.send({ topic: topics.mention, messages: [small] })).rejects.toMatchObject({
      type: 'MESSAGE_TOO_LARGE',
    })
    await producer.send({ topic: topics.deadLetter, messages: [small] })
  } finally {
    await producer.disconnect()
  }
})
