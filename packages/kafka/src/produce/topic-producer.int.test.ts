import { createTopic } from '@herald/test-servers'
import { describe, expect, test } from '@jest/globals'
import type { KafkaPort, OutgoingRecord } from '../port/kafka-port.ts'
import { connectTestClients, createTestKafka } from '../testing.fixture.ts'
import { batchBytesOf } from './batch-bytes.ts'
import { createTopicProducer, type Sendable } from './topic-producer.ts'

const MIB = 1024 * 1024
const { admin } = connectTestClients()
let run = 0

/** Publishes a record with a value of this size to a topic whose limit cannot be read, and returns the published one. */
async function publish(bytes: number, maxMessageBytes: number, describeTopics: KafkaPort['describeTopics']) {
  const topic = `limits-${process.pid}-${run++}`
  // Given later, the limit may hold only some time after the answer.
  const configEntries = [{ name: 'max.message.bytes', value: String(maxMessageBytes) }]
  await createTopic(admin, { topic, numPartitions: 1, replicationFactor: 1, configEntries })
  const kafka = createTestKafka()
  const producer = createTopicProducer({ connectProducer: kafka.connectProducer, describeTopics }, topic)
  const whole: OutgoingRecord = { key: null, value: Buffer.alloc(bytes, 'x'), headers: {} }
  const without: OutgoingRecord = { ...whole, value: null, headers: { omitted: String(bytes) } }
  const sendable = (maxBytes: number): Sendable =>
    batchBytesOf(whole) > maxBytes ? { record: without } : { record: whole, smaller: () => ({ record: without }) }
  const small: Sendable = { record: { key: null, value: Buffer.from('small'), headers: {} } }
  await producer.publish((maxBytes) => [small, sendable(maxBytes)], 30_000)
  await producer.close()
  const found: (number | undefined)[] = []
  await kafka.readToEnd(topic, async ({ value }) => found.push(value?.length))
  return found.sort()
}

describe.each<[name: string, describeTopics: KafkaPort['describeTopics']]>([
  ['the request fails', () => Promise.reject(new Error('refused'))],
  ['the request hangs', () => new Promise(() => {})],
])('while the limit of a topic is unknown because %s', (_, describeTopics) => {
  test('publishes a value that the topic accepts', async () => {
    expect(await publish(1.5 * MIB, 4 * MIB, describeTopics)).toEqual([1.5 * MIB, 5])
  }, 300_000)

  test('publishes without its value only a record that the topic rejects', async () => {
    expect(await publish(1.5 * MIB, 1_048_588, describeTopics)).toEqual([5, undefined])
  }, 300_000)

  test('does not send a value that no topic accepts', async () => {
    expect(await publish(101 * MIB, 1_048_588, describeTopics)).toEqual([5, undefined])
  }, 300_000)
})
