import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { createLogger } from '@herald/runtime'
import { createTopics, eventually, topicsWithSuffix } from '@herald/test-servers'
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals'
import kafkajs, { type Admin, type Consumer, type Message, type Producer } from 'kafkajs'
import { createClient } from './create-kafka.ts'
import {
  compressed,
  encodeBatch,
  encodeFetchResponse,
  encodeRecord,
  type Piece,
  recordOfZeros,
} from './fetch/batches.fixture.ts'
import type { FetchedRecord } from './fetch/record-cutter.ts'
import { checkKafkajsVersion } from './patched-kafkajs.ts'

// Each of these tests fails with an unpatched kafkajs.
const { CompressionCodecs, CompressionTypes } = kafkajs
const brokers = (process.env.KAFKA_BROKERS ?? '').split(',')
const kafka = createClient({ brokers, clientId: 'test' }, createLogger({ name: 'test', level: 'silent' }))
let run = 0
let topic: string
let admin: Admin
let producer: Producer
let consumer: Consumer | undefined

beforeAll(async () => {
  admin = kafka.admin()
  producer = kafka.producer({ allowAutoTopicCreation: false })
  await Promise.all([admin.connect(), producer.connect()])
})
afterEach(() => consumer?.disconnect())
afterAll(async () => {
  await Promise.all([admin?.disconnect(), producer?.disconnect()])
})

/** Creates a topic, fills it with `produce`, and then collects the records of partition 0. */
async function start(produce: () => Promise<unknown>) {
  topic = (await createTopics(brokers, topicsWithSuffix(`patches-${process.pid}-${run++}`))).mention
  await produce()
  const found: FetchedRecord[] = []
  consumer = kafka.consumer({ groupId: topic, maxBytesPerPartition: 512 * 1024, maxWaitTimeInMs: 100 })
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  await consumer.run({
    eachBatch: async ({ batch, resolveOffset, heartbeat }) => {
      for (const message of batch.messages) found.push(message)
      resolveOffset(batch.lastOffset())
      await heartbeat()
    },
  })
  return { found }
}

/** Sends a batch of `count` records with these compressed bytes. */
async function sendBatch(count: number, bytes: Buffer): Promise<void> {
  CompressionCodecs[CompressionTypes.ZSTD] = () => ({ compress: async () => bytes, decompress: async () => bytes })
  const messages: Message[] = Array.from({ length: count }, () => ({ value: '', partition: 0 }))
  await producer.send({ topic, acks: -1, compression: CompressionTypes.ZSTD, messages })
}

const values = (found: readonly FetchedRecord[]) =>
  found.map(({ value, readFailure }) => readFailure?.code ?? `${value}`)

test('reads 10,000 headers of one record quickly and groups them by name', async () => {
  const names = Array.from({ length: 10_000 }, (_, n) => `n${n % 5_000}`)
  const { found } = await start(async () => {
    const record = encodeRecord(0, { value: 'x', headers: names.map((name, n) => [name, String(n)]) })
    await sendBatch(1, await compressed('zstd', [record]))
  })
  const begin = process.cpuUsage()
  await eventually(() => found.length === 1)
  const headers = Object.entries(found[0]?.headers ?? {})
  expect(headers).toHaveLength(5_000)
  expect(headers[7]).toEqual(['n7', [Buffer.from('7'), Buffer.from('5007')]])
  // kafkajs takes half a minute, and the group removes the member meanwhile.
  expect(process.cpuUsage(begin).user).toBeLessThan(10_000_000)
})

test('writes a header without a value, and several of one name', async () => {
  const headers = { none: null, both: ['1', Buffer.from('2')] } as unknown as NonNullable<Message['headers']>
  const { found } = await start(() => producer.send({ topic, messages: [{ value: 'x', partition: 0, headers }] }))
  await eventually(() => found.length === 1)
  expect(found[0]?.headers).toEqual({ none: null, both: [Buffer.from('1'), Buffer.from('2')] })
})

test('decodes a batch of 200,000 records', async () => {
  const records = Array.from({ length: 200_000 }, (_, n) => encodeRecord(n, { value: 'x' }))
  const batch = encodeBatch({ firstOffset: 0, count: records.length, records: Buffer.concat(records) })
  const { protocol } = createRequire(import.meta.url)('kafkajs/src/protocol/requests/fetch')
  const request = { topics: [{ topic: 't', partitions: [{ partition: 0, fetchOffset: '0', maxBytes: 1 }] }] }
  const { response } = protocol({ version: 11 })({ ...request, maxWaitTime: 1, minBytes: 1, maxBytes: 1, rackId: '' })
  const { responses } = await response.decode(encodeFetchResponse('t', [batch]))
  expect(responses[0].partitions[0].messages.length).toBeGreaterThan(1_000)
})

test('filters aborted transactions that overlap others, whichever ended first', async () => {
  const [first, second, third] = [1, 2, 3].map(() =>
    kafka.producer({ transactionalId: randomUUID(), idempotent: true, maxInFlightRequests: 1 }),
  ) as [Producer, Producer, Producer]
  await Promise.all([first.connect(), second.connect(), third.connect()])
  const { found } = await start(async () => {
    const [a, b, c] = [await first.transaction(), await second.transaction(), await third.transaction()]
    const send = (transaction: typeof a, value: string) =>
      transaction.send({ topic, messages: [{ value, partition: 0 }] })
    await send(a, 'aborted a1')
    await send(b, 'aborted b1')
    await send(c, 'c1')
    await send(a, 'aborted a2')
    // It started later and ends first, so the broker lists it first.
    await b.abort()
    await send(c, 'c2')
    await send(a, 'aborted a3')
    await a.abort()
    await c.commit()
    const again = await second.transaction()
    await send(again, 'b2')
    await again.commit()
    await producer.send({ topic, messages: [{ value: 'end', partition: 0 }] })
  })
  await eventually(() => values(found).includes('end'))
  expect(values(found)).toEqual(['c1', 'c2', 'b2', 'end'])
  await Promise.all([first.disconnect(), second.disconnect(), third.disconnect()])
})

test('skips a record of 600 MiB compressed to 19 KB and reads the others', async () => {
  const zeros = recordOfZeros(1, 600 * 1024 * 1024)
  const pieces: Piece[] = [encodeRecord(0, { value: 'a' }), zeros.before, zeros, zeros.behind]
  const bytes = await compressed('zstd', [...pieces, encodeRecord(2, { value: 'b' })])
  expect(bytes.length).toBeLessThan(100_000)
  const { found } = await start(async () => {
    await sendBatch(3, bytes)
    await producer.send({ topic, messages: [{ value: 'end', partition: 0 }] })
  })
  await eventually(() => values(found).includes('end'))
  expect(values(found)).toEqual(['a', 'record_too_large', 'b', 'end'])
}, 300_000)

test('never sets a timer in the past', async () => {
  const timers = jest.spyOn(globalThis, 'setTimeout')
  try {
    await admin.describeCluster()
    const milliseconds = timers.mock.calls.map(([, time = 0]) => time)
    expect(milliseconds.length).toBeGreaterThan(0)
    expect(Math.min(...milliseconds)).toBeGreaterThanOrEqual(0)
  } finally {
    timers.mockRestore()
  }
})

test('rejects another version of kafkajs', () => {
  expect(() => checkKafkajsVersion('2.2.5')).toThrow('Requires kafkajs 2.2.4, found 2.2.5')
  expect(() => checkKafkajsVersion('2.2.4')).not.toThrow()
})
