import { type AddressInfo, createServer, type Socket } from 'node:net'
import { limits } from '@herald/contracts'
import { connectTestClients, createTestKafka, rawKafka } from '@herald/kafka/testing'
import { createTopic, eventually } from '@herald/test-servers'
import { afterEach, expect, test } from '@jest/globals'
import kafkajs, { type Consumer, type KafkaMessage } from 'kafkajs'
import { deleteTopic } from '../deleted-topic.fixture.ts'
import { recordOf } from '../events/records.fixture.ts'
import { createDeadLetterPublisher, type DeadLetterPublisher, DeadLettersUnavailable } from './dead-letter-publisher.ts'

const { admin } = connectTestClients()
let run = 0
let publisher: DeadLetterPublisher
let consumer: Consumer

afterEach(async () => {
  await Promise.all([publisher.close(), consumer.disconnect()])
})

/** As `createTopics` makes the dead-letter topic, with one partition. */
const createLetterTopic = (topic: string) =>
  createTopic(admin, {
    topic,
    numPartitions: 1,
    configEntries: [{ name: 'max.message.bytes', value: String(2 * 1_024 * 1_024) }],
  })

/** Creates a dead-letter topic and collects its records. */
async function start() {
  const topic = `letters-${process.pid}-${run++}`
  await createLetterTopic(topic)
  publisher = createDeadLetterPublisher(createTestKafka(), topic, 5_000)
  consumer = rawKafka.consumer({ groupId: topic, maxWaitTimeInMs: 100 })
  const found: KafkaMessage[] = []
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  await consumer.run({ autoCommit: false, eachMessage: async ({ message }) => void found.push(message) })
  return { topic, found }
}

const takeAtMost = (topic: string, bytes: number) =>
  admin.alterConfigs({
    validateOnly: false,
    resources: [
      {
        type: kafkajs.ConfigResourceTypes.TOPIC,
        name: topic,
        configEntries: [{ name: 'max.message.bytes', value: String(bytes) }],
      },
    ],
  })

const letterOf = (value: Buffer | null, offset: string) => {
  const record = { ...recordOf('', { own: Buffer.from('header') }), value, offset }
  return { record, code: 'record_too_large' as const, detail: 'x'.repeat(5_000) }
}

const largest = Buffer.alloc(limits.eventBytes, 'ü')
const byOffset = (messages: readonly KafkaMessage[]) =>
  new Map(messages.map((message) => [String(message.headers?.['herald-origin-offset']), message]))

test('publishes several records of the maximum size without omitting anything', async () => {
  const { found } = await start()
  await publisher.publish(['1', '2', '3'].map((offset) => letterOf(largest, offset)))
  await eventually(() => found.length === 3)
  for (const { value, headers } of found) {
    expect(value?.equals(largest)).toBe(true)
    expect(headers?.['herald-value-omitted']).toBeUndefined()
  }
})

test('omits the value of a record that is too large for the topic, and publishes the others whole', async () => {
  const { topic, found } = await start()
  await takeAtMost(topic, 64 * 1024)
  // Until the broker has applied the setting, it accepts the large record.
  await eventually(async () => {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configNames: ['max.message.bytes'] }],
    })
    return resources[0]?.configEntries[0]?.configValue === String(64 * 1024)
  })
  const small = Buffer.from('small')
  // The first large value is sent together with others, the second in its own request.
  const values = [small, largest.subarray(0, 512 * 1024), small, null, largest]
  await publisher.publish(values.map((value, index) => letterOf(value, String(index + 1))))
  await eventually(() => byOffset(found).size === values.length)
  const letters = byOffset(found)
  expect(['1', '3'].map((offset) => String(letters.get(offset)?.value))).toEqual(['small', 'small'])
  const without = letters.get('2')
  expect(without?.value).toBeNull()
  expect(String(without?.key)).toBe('key')
  expect(without?.headers).toMatchObject({
    own: Buffer.from('header'),
    'herald-value-omitted': Buffer.from(String(512 * 1024)),
    'herald-error-code': Buffer.from('record_too_large'),
    'herald-error-detail': Buffer.from('x'.repeat(limits.deadLetterDetailBytes)),
  })
  expect(letters.get('5')?.value).toBeNull()
  for (const offset of ['1', '3', '4']) expect(letters.get(offset)?.headers?.['herald-value-omitted']).toBeUndefined()
})

test('publishes a letter on retry after the topic was missing', async () => {
  const { topic, found } = await start()
  await consumer.disconnect()
  await deleteTopic(admin, topic)
  await expect(publisher.publish([letterOf(null, '1')])).rejects.toThrow()
  await createLetterTopic(topic)
  await publisher.publish([letterOf(null, '1')])
  expect(found).toEqual([])
  const ends = await admin.fetchTopicOffsets(topic)
  expect(ends.reduce((sum, { high }) => sum + Number(high), 0)).toBe(1)
})

test('omits a key or headers that are too large for the topic, and publishes the others whole', async () => {
  const { found } = await start()
  const large = Buffer.alloc(3 * 1024 * 1024, 'x')
  const withHeader = { ...letterOf(Buffer.from('value'), '1') }
  const withKey = { ...letterOf(Buffer.from('value'), '2') }
  await publisher.publish([
    { ...withHeader, record: { ...withHeader.record, headers: { large } } },
    { ...withKey, record: { ...withKey.record, key: large } },
    letterOf(Buffer.from('small'), '3'),
  ])
  await eventually(() => byOffset(found).size === 3)
  const letters = byOffset(found)
  expect(letters.get('1')).toMatchObject({
    key: Buffer.from('key'),
    value: null,
    headers: { 'herald-headers-omitted': Buffer.from(String(large.length + 'large'.length)) },
  })
  expect(letters.get('2')).toMatchObject({
    key: null,
    value: null,
    headers: { 'herald-key-omitted': Buffer.from(String(large.length)) },
  })
  expect(String(letters.get('3')?.value)).toBe('small')
})

test('omits a value larger than a broker’s request limit before sending', async () => {
  const { found } = await start()
  await publisher.publish([letterOf(Buffer.alloc(101 * 1024 * 1024), '1')])
  await eventually(() => found.length === 1)
  expect(found[0]?.headers?.['herald-value-omitted']).toEqual(Buffer.from(String(101 * 1024 * 1024)))
})

test('waits once for a broker that does not respond, and reports the affected partitions', async () => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => void sockets.push(socket))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  await start()
  const kafka = createTestKafka([`127.0.0.1:${port}`])
  let connections = 0
  const connectProducer: typeof kafka.connectProducer = (options) => {
    connections++
    return kafka.connectProducer(options)
  }
  const hanging = createDeadLetterPublisher({ ...kafka, connectProducer }, 'letters', 200)
  const letter = letterOf(null, '1')
  const error = await hanging.publish([letter]).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(DeadLettersUnavailable)
  expect(connections).toBe(1)
  expect((error as DeadLettersUnavailable).concerns(letter.record)).toBe(true)
  expect((error as DeadLettersUnavailable).concerns({ ...letter.record, partition: 7 })).toBe(false)
  silent.close()
  for (const socket of sockets) socket.destroy()
})
