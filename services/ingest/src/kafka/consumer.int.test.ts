import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { createTopics, topicsWithSuffix } from '@herald/local-stack'
import { createLogger } from '@herald/runtime'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import kafkajs, { type Admin, type Producer } from 'kafkajs'
import type { IncomingRecord } from '../events/incoming-record.ts'
import type { HandleRecords } from '../events/record-handler.ts'
import { eventually } from '../ingest.fixture.ts'
import { createKafka } from './client.ts'
import { createEventConsumer, type EventConsumer } from './consumer.ts'

const brokers = (process.env.KAFKA_BROKERS ?? '').split(',')
const logger = createLogger({ name: 'test', level: 'silent' })
const kafka = createKafka({ brokers, clientId: 'test' }, logger)
let run = 0
let admin: Admin
let producer: Producer
let consumer: EventConsumer | undefined

beforeAll(async () => {
  const raw = new kafkajs.Kafka({ clientId: 'test', brokers, logLevel: kafkajs.logLevel.NOTHING })
  admin = raw.admin()
  producer = raw.producer({ allowAutoTopicCreation: false })
  await Promise.all([admin.connect(), producer.connect()])
})
afterEach(() => consumer?.stop())
afterAll(async () => {
  await Promise.all([admin?.disconnect(), producer?.disconnect()])
})

/** Topics and a group of their own, with a consumer that hands its records to `handle`. */
async function start(handle: HandleRecords) {
  const topics = await createTopics(brokers, topicsWithSuffix(`consumer-${process.pid}-${run++}`))
  const groupId = `consumer-${process.pid}-${run}`
  const heldBack: string[] = []
  const create = () =>
    createEventConsumer({
      kafka,
      groupId,
      topics: [topics.mention, topics.change],
      deadLetterTopic: topics.deadLetter,
      clock: () => new Date(),
      logger,
      kindOf: () => 'mention',
      handle,
      onChunk: () => {},
      onHeldBack: (topic, partition) => void heldBack.push(`${topic === topics.mention ? 'm' : 'c'}${partition}`),
    })
  consumer = create()
  consumer.start()
  return {
    heldBack,
    topics,
    async restart() {
      await consumer?.stop()
      consumer = create()
      consumer.start()
    },
    send: (topic: string, partition: number, ...values: readonly string[]) =>
      producer.send({ topic, messages: values.map((value) => ({ value, partition })) }),
    async committed(topic: string, partition: number): Promise<number> {
      const [found] = await admin.fetchOffsets({ groupId, topics: [topic] })
      return Number(found?.partitions.find((candidate) => candidate.partition === partition)?.offset)
    },
  }
}

const valuesOf = (records: readonly IncomingRecord[]) => records.map(({ value }) => String(value))

test.each([
  ['a plain error', () => new Error('away')],
  ['a TypeError, at which kafkajs would end', () => new TypeError('away')],
])(
  '%s holds its partition back until it is over, and no other; nothing is skipped or out of order',
  async (_, fault) => {
    const handled = new Map<string, string[]>()
    let isAway = true
    const { topics, send, committed, heldBack } = await start(async (records) => {
      const [{ topic, partition }] = records as [IncomingRecord]
      if (isAway && topic === topics.mention && partition === 1) throw fault()
      const place = `${topic === topics.mention ? 'm' : 'c'}${partition}`
      handled.set(place, [...(handled.get(place) ?? []), ...valuesOf(records)])
    })
    await send(topics.mention, 1, '1', '2')
    await eventually(() => heldBack.length > 1)
    await send(topics.mention, 1, '3')
    await send(topics.mention, 0, 'a', 'b')
    await send(topics.change, 1, 'x')
    await eventually(() => handled.has('m0') && handled.has('c1'))
    await eventually(async () => (await committed(topics.mention, 0)) === 2)
    expect(await committed(topics.mention, 1)).toBe(-1)
    expect(handled.has('m1')).toBe(false)

    isAway = false
    await eventually(async () => (await committed(topics.mention, 1)) === 3)
    expect(Object.fromEntries(handled)).toEqual({ m0: ['a', 'b'], m1: ['1', '2', '3'], c1: ['x'] })
    expect(new Set(heldBack)).toEqual(new Set(['m1']))
  },
)

test('a chunk that failed comes again with what follows, and what was done before it does not', async () => {
  const chunks: string[][] = []
  let failures = 2
  const { topics, send, committed } = await start(async (records) => {
    const values = valuesOf(records)
    chunks.push([values[0] ?? '', values.at(-1) ?? ''])
    if (values.includes('1500') && failures-- > 0) throw new Error('away')
  })
  await send(topics.mention, 0, ...Array.from({ length: 2_200 }, (_, n) => String(n)))
  await eventually(async () => (await committed(topics.mention, 0)) === 2_200)
  expect(chunks.filter(([first]) => first === '0')).toHaveLength(1)
  expect(chunks.filter(([first]) => first === '1000')).toEqual(Array(3).fill(['1000', '1999']))
  expect(chunks.filter(([first]) => first === '2000')).toEqual([['2000', '2199']])
})

test('a handler that never ends has committed nothing; who comes after handles it again', async () => {
  const seen: string[] = []
  let isStuck = true
  let release = () => {}
  const { topics, send, committed, restart } = await start(async (records) => {
    seen.push(...valuesOf(records))
    if (!isStuck) return
    await new Promise<void>((_, reject) => {
      release = () => reject(new Error('gone'))
    })
  })
  await send(topics.mention, 0, 'a')
  await eventually(() => seen.length === 1)
  await pause(500)
  expect(await committed(topics.mention, 0)).toBe(-1)
  isStuck = false
  release()
  await restart()
  await eventually(async () => (await committed(topics.mention, 0)) === 1)
  expect(new Set(seen)).toEqual(new Set(['a']))
  expect(seen.length).toBeGreaterThan(1)
})

test('a stop finishes and commits what is in hand', async () => {
  let isInHand = false
  const { topics, send, committed } = await start(async () => {
    isInHand = true
    await pause(1_000)
  })
  await send(topics.mention, 0, 'a')
  await eventually(() => isInHand)
  await consumer?.stop()
  expect(await committed(topics.mention, 0)).toBe(1)
})

test('a stop before there is anything to read ends, too', async () => {
  await start(async () => {})
  await consumer?.stop()
  expect(consumer?.isAssigned('x', 0)).toBe(false)
})

test('what a transaction leaves at the end, a marker or what was aborted, is committed as read', async () => {
  const handled: string[] = []
  const { topics, committed } = await start(async (records) => void handled.push(...valuesOf(records)))
  const topic = topics.mention
  const transactional = kafka.producer({ transactionalId: randomUUID(), idempotent: true, maxInFlightRequests: 1 })
  await transactional.connect()
  try {
    const good = await transactional.transaction()
    await good.send({ topic, messages: [{ value: 'a', partition: 0 }] })
    await good.commit()
    // Nothing else is read with what comes now, and committed with it.
    await eventually(async () => (await committed(topic, 0)) === 2)
    const bad = await transactional.transaction()
    await bad.send({ topic, messages: [0, 1].map((partition) => ({ value: 'never', partition })) })
    await bad.abort()
    const open = await transactional.transaction()
    await open.send({ topic, messages: [{ value: 'b', partition: 1 }] })
    // a, marker, never, marker; and: never, marker, and what nobody may read yet.
    await eventually(async () => (await committed(topic, 0)) === 4 && (await committed(topic, 1)) === 2)
    await open.commit()
    await eventually(async () => (await committed(topic, 1)) === 4)
    expect(handled).toEqual(['a', 'b'])
  } finally {
    await transactional.disconnect()
  }
})
