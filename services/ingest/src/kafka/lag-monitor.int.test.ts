import { createTopics, topicsWithSuffix } from '@herald/local-stack'
import { createLogger } from '@herald/runtime'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import kafkajs, { type Admin, type Producer } from 'kafkajs'
import { eventually } from '../ingest.fixture.ts'
import { createKafka } from './client.ts'
import { createLagMonitor, type LagMonitor } from './lag-monitor.ts'

const brokers = (process.env.KAFKA_BROKERS ?? '').split(',')
const logger = createLogger({ name: 'test', level: 'silent' })
const raw = new kafkajs.Kafka({ clientId: 'test', brokers, logLevel: kafkajs.logLevel.NOTHING })
let run = 0
let admin: Admin
let producer: Producer
let monitor: LagMonitor

beforeAll(async () => {
  admin = raw.admin()
  producer = raw.producer({ allowAutoTopicCreation: false })
  await Promise.all([admin.connect(), producer.connect()])
})
afterEach(() => monitor.stop())
afterAll(async () => {
  await Promise.all([admin?.disconnect(), producer?.disconnect()])
})

/** A monitor that looks all the time, at a group and topics of its own; the clock counts its looks. */
async function start(addresses = brokers) {
  const groupId = `lag-${process.pid}-${run++}`
  const { mention: topic, change } = await createTopics(brokers, topicsWithSuffix(groupId), { partitions: 2 })
  let looks = 0
  monitor = createLagMonitor({
    ...{
      kafka: createKafka({ brokers: addresses, clientId: 'test' }, logger),
      groupId,
      topics: [topic, change],
      logger,
    },
    clock: () => new Date(looks),
    intervalMs: 50,
    onLook: () => void looks++,
  })
  monitor.start()
  return {
    topic,
    looks: () => looks,
    send: (partition: number, ...values: readonly string[]) =>
      producer.send({ topic, messages: values.map((value) => ({ value, partition })) }),
    commit: (partition: number, offset: number) =>
      admin.setOffsets({ groupId, topic, partitions: [{ partition, offset: String(offset) }] }),
    /** Waits for a look that began after this was called: the one under way may have asked already. */
    async looked() {
      const enough = looks + 2
      await eventually(() => looks >= enough)
    },
  }
}

const lagsOf = (topic: string) =>
  monitor
    .lags()
    .filter((found) => found.topic === topic)
    .toSorted((a, b) => a.partition - b.partition)
    .map(({ lag }) => lag)

test('the lag of each partition is what the group has not committed, from the first record on', async () => {
  const { topic, send, commit, looked } = await start()
  await send(0, 'a', 'b', 'c')
  await looked()
  expect(lagsOf(topic)).toEqual([3, 0])
  await commit(0, 2)
  await send(1, 'x')
  await looked()
  expect(lagsOf(topic)).toEqual([1, 1])
})

test('records that were deleted before anybody read them are no work', async () => {
  const { topic, send, looked } = await start()
  await send(0, 'a', 'b', 'c')
  const deletion = { topic, partitions: [{ partition: 0, offset: '2' }] }
  await eventually(() =>
    admin.deleteTopicRecords(deletion).then(
      () => true,
      () => false,
    ),
  )
  await looked()
  expect(lagsOf(topic)).toEqual([1, 0])
})

test('a partition is stuck since the last look at which it moved, and no longer once something is committed', async () => {
  const { topic, looks, send, commit, looked } = await start()
  await looked()
  await send(0, 'a', 'b')
  await looked()
  await looked()
  const since = monitor.stuckSince(topic, 0)?.getTime() ?? -1
  expect(since).toBeGreaterThan(0)
  expect(since).toBeLessThan(looks())
  await looked()
  expect([monitor.stuckSince(topic, 0)?.getTime(), monitor.stuckSince(topic, 1)]).toEqual([since, undefined])

  await commit(0, 1)
  await looked()
  const later = monitor.stuckSince(topic, 0)?.getTime() ?? Number.POSITIVE_INFINITY
  expect(later).toBeGreaterThan(since)
  await commit(0, 2)
  await looked()
  expect(monitor.stuckSince(topic, 0)).toBeUndefined()
})

test('a topic was handled until the look whose ends have all been committed', async () => {
  const { topic, looks, send, commit, looked } = await start()
  await send(0, 'a')
  await send(1, 'b')
  await looked()
  const before = monitor.handledUntil(topic)
  await looked()
  await commit(0, 1)
  await looked()
  expect(monitor.handledUntil(topic)).toEqual(before)
  const looksBefore = looks()
  await commit(1, 1)
  await looked()
  await looked()
  expect(monitor.handledUntil(topic)?.getTime()).toBeGreaterThan(looksBefore)
})

test('records of a transaction that is open are no work yet; once it ends they are', async () => {
  const { topic, send, commit, looked } = await start()
  const transactional = raw.producer({
    transactionalId: `lag-${process.pid}`,
    idempotent: true,
    maxInFlightRequests: 1,
  })
  await transactional.connect()
  try {
    await send(0, 'before')
    const open = await transactional.transaction()
    await open.send({
      topic,
      messages: [
        { value: 'a', partition: 0 },
        { value: 'b', partition: 0 },
      ],
    })
    await send(0, 'behind it')
    await commit(0, 1)
    await looked()
    await looked()
    expect([lagsOf(topic), monitor.stuckSince(topic, 0)]).toEqual([[0, 0], undefined])
    await open.commit()
    await eventually(() => lagsOf(topic)[0] === 4)
  } finally {
    await transactional.disconnect()
  }
})

test('without a broker nothing is said of any partition, and it goes on looking', async () => {
  const { topic, looked } = await start(['127.0.0.1:1'])
  await looked()
  expect([monitor.lags(), monitor.stuckSince(topic, 0), monitor.handledUntil(topic)]).toEqual([
    [],
    undefined,
    undefined,
  ])
})
