import { brokers, connectTestClients, createTestKafka, quietLogger, rawKafka } from '@herald/kafka/testing'
import { createTopic, eventually } from '@herald/test-servers'
import { afterEach, expect, test } from '@jest/globals'
import { commitOffset } from '../committed-offset.fixture.ts'
import { deleteTopic } from '../deleted-topic.fixture.ts'
import { createLagMonitor, type LagMonitor } from './lag-monitor.ts'

const { admin, producer } = connectTestClients()
let run = 0
let monitor: LagMonitor

afterEach(() => monitor.stop())

const errors: object[] = []
const logger = { ...quietLogger, debug: () => {}, error: (fields: object) => void errors.push(fields) } as never

/** Starts a monitor with a short interval on its own group and topics. Its clock counts the polls. */
async function start({ addresses = brokers, limitMs = 30_000 } = {}) {
  const groupId = `lag-${process.pid}-${run++}`
  const [topic, change] = [`${groupId}-mentions`, `${groupId}-changes`]
  await Promise.all([topic, change].map((name) => createTopic(admin, { topic: name, numPartitions: 2 })))
  let polls = 0
  monitor = createLagMonitor({
    kafka: createTestKafka(addresses),
    groupId,
    topics: [topic, change],
    logger,
    clock: () => new Date(polls),
    now: () => new Date(polls),
    intervalMs: 50,
    limitMs,
    onPoll: () => void polls++,
  })
  monitor.start()
  return {
    topic,
    polls: () => polls,
    send: (partition: number, ...values: readonly string[]) =>
      producer.send({ topic, messages: values.map((value) => ({ value, partition })) }),
    commit: (partition: number, offset: number) => commitOffset(brokers, { groupId, topic, partition, offset }),
    /** Waits for a poll that started after this call; the current one may have read its offsets already. */
    async polled() {
      const enough = polls + 2
      await eventually(() => polls >= enough)
    },
  }
}

const lagsOf = (topic: string) =>
  monitor
    .lags()
    .filter((found) => found.topic === topic)
    .toSorted((a, b) => a.partition - b.partition)
    .map(({ lag }) => lag)

test('reports the records of each partition that the group has not committed', async () => {
  const { topic, send, commit, polled } = await start()
  await send(0, 'a', 'b', 'c')
  await polled()
  expect(lagsOf(topic)).toEqual([3, 0])
  await commit(0, 2)
  await send(1, 'x')
  await polled()
  expect(lagsOf(topic)).toEqual([1, 1])
})

test('does not count records that were deleted before they were read', async () => {
  const { topic, send, polled } = await start()
  await send(0, 'a', 'b', 'c')
  const deletion = { topic, partitions: [{ partition: 0, offset: '2' }] }
  await eventually(() =>
    admin.deleteTopicRecords(deletion).then(
      () => true,
      () => false,
    ),
  )
  await polled()
  expect(lagsOf(topic)).toEqual([1, 0])
})

test('reports a partition as stuck since the last poll with progress, until the next commit', async () => {
  const { topic, polls, send, commit, polled } = await start()
  await polled()
  await send(0, 'a', 'b')
  await polled()
  await polled()
  const since = monitor.stuckSince(topic, 0)?.getTime() ?? -1
  expect(since).toBeGreaterThan(0)
  expect(since).toBeLessThan(polls())
  await polled()
  expect([monitor.stuckSince(topic, 0)?.getTime(), monitor.stuckSince(topic, 1)]).toEqual([since, undefined])

  await commit(0, 1)
  await polled()
  const later = monitor.stuckSince(topic, 0)?.getTime() ?? Number.POSITIVE_INFINITY
  expect(later).toBeGreaterThan(since)
  await commit(0, 2)
  await polled()
  expect(monitor.stuckSince(topic, 0)).toBeUndefined()
})

test('reports a topic as handled until the last poll whose end offsets are all committed', async () => {
  const { topic, polls, send, commit, polled } = await start()
  await send(0, 'a')
  await send(1, 'b')
  await polled()
  const before = monitor.caughtUpTo(topic)
  await polled()
  await commit(0, 1)
  await polled()
  expect(monitor.caughtUpTo(topic)).toEqual(before)
  const pollsBefore = polls()
  await commit(1, 1)
  await polled()
  await polled()
  expect(monitor.caughtUpTo(topic)?.getTime()).toBeGreaterThan(pollsBefore)
})

test('reports a topic as handled that was deleted and made anew with fewer records', async () => {
  const { topic, polls, send, commit, polled } = await start()
  await send(0, 'a', 'b', 'c', 'd', 'e')
  await polled()
  await deleteTopic(admin, topic)
  // `false` if it exists, as after an attempt that was not answered.
  await eventually(() => admin.createTopics({ topics: [{ topic, numPartitions: 2 }] }).then(() => true))
  await eventually(() =>
    send(0, 'a')
      .then(() => commit(0, 1))
      .then(() => true),
  )
  const pollsBefore = polls()
  await eventually(() => (monitor.caughtUpTo(topic)?.getTime() ?? 0) > pollsBefore)
})

test('logs an error, once, if a topic ends before the committed offset', async () => {
  const { topic, send, commit, polled } = await start()
  errors.length = 0
  await send(0, 'a', 'b')
  await commit(0, 2)
  await polled()
  expect(errors).toEqual([])
  await commit(0, 5)
  await polled()
  await polled()
  expect(errors).toEqual([{ topic, partition: 0, committed: 5, end: 2 }])
})

test('counts the records of a transaction only once it has ended', async () => {
  const { topic, send, commit, polled } = await start()
  const transactional = rawKafka.producer({
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
    await polled()
    await polled()
    expect([lagsOf(topic), monitor.stuckSince(topic, 0)]).toEqual([[0, 0], undefined])
    await open.commit()
    await eventually(() => lagsOf(topic)[0] === 4)
  } finally {
    await transactional.disconnect()
  }
})

test('reports nothing without a broker and continues polling', async () => {
  const { topic, polled } = await start({ addresses: ['127.0.0.1:1'], limitMs: 200 })
  await polled()
  expect([monitor.lags(), monitor.stuckSince(topic, 0), monitor.caughtUpTo(topic)]).toEqual([[], undefined, undefined])
})

test('gives up a request that is not answered, and polls again with another connection', async () => {
  let [readers, closed, polls] = [0, 0, 0]
  const position = { topic: 't', partition: 0, committed: 1n, end: 3n }
  const createPositionReader = () => {
    const isHung = ++readers === 2
    return {
      read: () =>
        isHung
          ? new Promise<never>(() => {})
          : readers === 1
            ? Promise.reject(new Error('away'))
            : Promise.resolve([position]),
      close: async () => void closed++,
    }
  }
  monitor = createLagMonitor({
    kafka: { createPositionReader },
    groupId: 'g',
    topics: ['t'],
    logger: quietLogger,
    clock: () => new Date(polls),
    now: () => new Date(polls),
    intervalMs: 10,
    limitMs: 100,
    onPoll: () => void polls++,
  })
  monitor.start()
  await eventually(() => polls > 2, { within: 10_000 })
  expect([readers, closed, lagsOf('t')]).toEqual([3, 2, [2]])
})

test('a poll that fails is no progress', async () => {
  let [reads, polls] = [0, 0]
  const position = { topic: 't', partition: 0, committed: 1n, end: 3n }
  monitor = createLagMonitor({
    kafka: {
      createPositionReader: () => ({
        read: async () => {
          if (++reads % 3 === 0) throw new Error('away')
          return [position]
        },
        close: async () => {},
      }),
    },
    groupId: 'g',
    topics: ['t'],
    logger: quietLogger,
    clock: () => new Date(polls),
    now: () => new Date(polls),
    intervalMs: 1,
    onPoll: () => void polls++,
  })
  monitor.start()
  await eventually(() => polls > 7 && monitor.lags().length === 1, { within: 10_000 })
  expect(monitor.stuckSince('t', 0)).toEqual(new Date(0))
})
