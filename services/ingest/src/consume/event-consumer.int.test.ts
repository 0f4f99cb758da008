import { randomUUID } from 'node:crypto'
import { usually } from '@herald/jest-preset/full-run'
import type { IncomingRecord } from '@herald/kafka'
import { brokers, connectTestClients, createTestKafka, quietLogger, rawKafka } from '@herald/kafka/testing'
import { createDeadlines, type Deadlines, systemClock } from '@herald/runtime'
import { createTopic, eventually, topicsWithSuffix } from '@herald/test-servers'
import { afterEach, expect, jest, test } from '@jest/globals'
import kafkajs from 'kafkajs'
import { commitOffset } from '../committed-offset.fixture.ts'
import { deleteTopic } from '../deleted-topic.fixture.ts'
import type { HandleRecords } from '../events/record-handler.ts'
import { quickTimes } from '../settings/times.fixture.ts'
import { createEventConsumer, type EventConsumer } from './event-consumer.ts'
import type { CommitPace } from './offset-commits.ts'

const { admin, producer } = connectTestClients()
const kafka = createTestKafka()
let run = 0
let consumer: EventConsumer | undefined
let deadlines: Deadlines

afterEach(() => consumer?.stop())

type Topics = ReturnType<typeof topicsWithSuffix>

/** Starts a consumer with its own topics and group, which `prepare` has filled, that passes its records to `handle`. */
async function start(
  handle: HandleRecords,
  prepare = async (_topics: Topics): Promise<void> => {},
  limitMs: number = quickTimes.limitMs,
  commitPace?: CommitPace,
) {
  deadlines = createDeadlines(systemClock)
  const topics = topicsWithSuffix(`consumer-${process.pid}-${run++}`)
  const { mention, change, deadLetter } = topics
  await Promise.all([mention, change, deadLetter].map((topic) => createTopic(admin, { topic, numPartitions: 2 })))
  const groupId = `consumer-${process.pid}-${run}`
  const heldBack: string[] = []
  const create = () =>
    createEventConsumer({
      kafka,
      groupId,
      topics: [topics.mention, topics.change],
      deadLetterTopic: topics.deadLetter,
      clock: systemClock,
      logger: quietLogger,
      deadlines,
      limitMs,
      heldBack: quickTimes.heldBack,
      restart: quickTimes.restart,
      commitPace,
      kindOf: () => 'mention',
      handle,
      onChunk: () => {},
      onHeldBack: (topic, partition) => void heldBack.push(`${topic === topics.mention ? 'm' : 'c'}${partition}`),
    })
  await prepare(topics)
  consumer = create()
  consumer.start()
  return {
    heldBack,
    topics,
    groupId,
    stop: () => consumer?.stop(),
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

test('handles each record of large compressed batches once while other topics are read', async () => {
  const handled = new Map<string, number[]>()
  // More than a chunk of each partition.
  const count = usually(3_000, { inFullRuns: 15_000 })
  const handle: HandleRecords = async (records) => {
    for (const { topic, partition, offset } of records) {
      const place = `${topic}/${partition}`
      if (!handled.has(place)) handled.set(place, [])
      handled.get(place)?.push(Number(offset))
    }
  }
  // Compressing takes seconds on a busy machine, in which a consumer in this process could not send heartbeats.
  const { topics, committed } = await start(handle, async ({ mention, change }) => {
    const toMessage = (n: number) => ({ value: `${n} ${'x'.repeat(300)}`, partition: n % 2 })
    const messages = Array.from({ length: count * 2 }, (_, n) => toMessage(n))
    for (const topic of [mention, change]) {
      await producer.send({ topic, acks: -1, compression: kafkajs.CompressionTypes.GZIP, messages })
    }
  })
  const places = [topics.mention, topics.change].flatMap((topic) => [0, 1].map((partition) => ({ topic, partition })))
  await eventually(async () => {
    const offsets = await Promise.all(places.map(({ topic, partition }) => committed(topic, partition)))
    return offsets.every((offset) => offset === count)
  })
  const offsets = Array.from({ length: count }, (_, n) => n)
  for (const { topic, partition } of places) expect(handled.get(`${topic}/${partition}`)).toEqual(offsets)
}, 300_000)

test.each([
  ['a plain error', () => new Error('away')],
  ['a TypeError, on which kafkajs would stop', () => new TypeError('away')],
])('%s holds back only its partition while it lasts; no record is skipped or reordered', async (_, fault) => {
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
})

test('retries a failed chunk and what follows, but not the chunks before it', async () => {
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

test('commits nothing while the handler is stuck, and the next consumer handles the record again', async () => {
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
  // With a heartbeat, offsets that are due are committed.
  for (let beats = 0; beats < 2; beats++) {
    const before = consumer?.lastSignOfLife() ?? new Date()
    await eventually(() => (consumer?.lastSignOfLife() ?? before) > before)
  }
  expect(await committed(topics.mention, 0)).toBe(-1)
  isStuck = false
  release()
  await restart()
  await eventually(async () => (await committed(topics.mention, 0)) === 1)
  expect(new Set(seen)).toEqual(new Set(['a']))
  expect(seen.length).toBeGreaterThan(1)
})

test('finishes and commits the current chunk on stop', async () => {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { topics, send, committed } = await start(async () => {
    begun.resolve()
    await ended.promise
  })
  await send(topics.mention, 0, 'a')
  await begun.promise
  const stopped = consumer?.stop()
  await eventually(() => consumer?.isAssigned(topics.mention, 0) === false)
  expect(await committed(topics.mention, 0)).toBe(-1)
  ended.resolve()
  await stopped
  expect(await committed(topics.mention, 0)).toBe(1)
})

test('stops before anything was read', async () => {
  await start(async () => {})
  await consumer?.stop()
  expect(consumer?.isAssigned('x', 0)).toBe(false)
})

test('commits past markers and aborted records at the end of a partition', async () => {
  const handled: string[] = []
  const { topics, committed } = await start(async (records) => void handled.push(...valuesOf(records)))
  const topic = topics.mention
  const transactional = rawKafka.producer({ transactionalId: randomUUID(), idempotent: true, maxInFlightRequests: 1 })
  await transactional.connect()
  try {
    const good = await transactional.transaction()
    await good.send({ topic, messages: [{ value: 'a', partition: 0 }] })
    await good.commit()
    // Wait, so that the aborted records below are not committed together with this one.
    await eventually(async () => (await committed(topic, 0)) === 2)
    const bad = await transactional.transaction()
    await bad.send({ topic, messages: [0, 1].map((partition) => ({ value: 'never', partition })) })
    await bad.abort()
    const open = await transactional.transaction()
    await open.send({ topic, messages: [{ value: 'b', partition: 1 }] })
    // Partition 0: a, marker, never, marker. Partition 1: never, marker, and a record that is not committed yet.
    await eventually(async () => (await committed(topic, 0)) === 4 && (await committed(topic, 1)) === 2)
    await open.commit()
    await eventually(async () => (await committed(topic, 1)) === 4)
    expect(handled).toEqual(['a', 'b'])
  } finally {
    await transactional.disconnect()
  }
})

test('gives up a chunk that does not end: its member leaves the group, and another one reads it again', async () => {
  const seen: string[] = []
  const stuck = Promise.withResolvers<void>()
  const handle: HandleRecords = async (records) => {
    seen.push(...valuesOf(records))
    if (seen.length === 1) await stuck.promise
  }
  const { topics, send, committed } = await start(handle, undefined, 500)
  const health = async () => deadlines.health.check(new AbortController().signal)
  await send(topics.mention, 0, 'a')
  await eventually(async () => (await committed(topics.mention, 0)) === 1)
  expect(seen).toEqual(['a', 'a'])
  expect(await health()).toMatchObject({
    ok: false,
    detail: expect.stringContaining(`A chunk of ${topics.mention}/0 has not`),
  })
  stuck.resolve()
  await eventually(async () => (await health()).ok)
})

test('reads a topic that was deleted and created again from its start', async () => {
  const seen: string[] = []
  const { topics, groupId, send, committed } = await start(async (records) => void seen.push(...valuesOf(records)))
  const topic = topics.mention
  for (let round = 0; round < 2; round++) {
    const values = Array.from({ length: 300 }, (_, n) => `${round}/${n}`)
    await eventually(() =>
      send(topic, 0, ...values).then(
        () => true,
        () => false,
      ),
    )
    await eventually(async () => (await committed(topic, 0).catch(() => -1)) === 300 && seen.includes(`${round}/299`))
    expect(seen).toEqual(expect.arrayContaining(values))
    await deleteTopic(admin, topic)
    // The broker deletes its offsets in its own time, also those that are committed meanwhile for the new topic.
    await eventually(async () => (await admin.fetchOffsets({ groupId })).every((found) => found.topic !== topic))
    await admin.createTopics({ topics: [{ topic, numPartitions: 2 }], waitForLeaders: false })
  }
}, 300_000)

/** Deletes a topic and creates it again. */
async function createAgain(topic: string): Promise<void> {
  await deleteTopic(admin, topic)
  // `false` if it exists, as after an attempt that was not answered.
  await eventually(() => admin.createTopics({ topics: [{ topic, numPartitions: 2 }] }).then(() => true))
}

test('reads a topic from its start that was created again, with fewer records, while no consumer ran', async () => {
  const seen: string[] = []
  const { topics, groupId, send, committed, stop, restart } = await start(
    async (records) => void seen.push(...valuesOf(records)),
  )
  const topic = topics.mention
  await send(topic, 0, ...Array.from({ length: 30 }, (_, n) => `old ${n}`))
  await eventually(async () => (await committed(topic, 0)) === 30)
  await stop()
  await createAgain(topic)
  const values = Array.from({ length: 10 }, (_, n) => `new ${n}`)
  await eventually(() => send(topic, 0, ...values))
  // As if the broker had kept it: it deletes the offsets of a deleted topic in its own time.
  await eventually(async () => {
    await commitOffset(brokers, { groupId, topic, partition: 0, offset: 30 })
    return (await committed(topic, 0)) === 30
  })
  await restart()
  await eventually(async () => (await committed(topic, 0)) === 10)
  expect(seen.slice(30)).toEqual(values)
})

test('reads a topic from its start that was created again, with fewer records, while a chunk was handled', async () => {
  const seen: string[] = []
  const stuck = Promise.withResolvers<void>()
  const handle: HandleRecords = async (records) => {
    seen.push(...valuesOf(records))
    await stuck.promise
  }
  const { topics, send, committed } = await start(handle)
  const topic = topics.mention
  await send(topic, 0, ...Array.from({ length: 30 }, (_, n) => `old ${n}`))
  await eventually(() => seen.length === 30)
  await createAgain(topic)
  const values = Array.from({ length: 10 }, (_, n) => `new ${n}`)
  await eventually(() => send(topic, 0, ...values))
  stuck.resolve()
  await eventually(async () => (await committed(topic, 0)) === 10)
  expect(seen).toEqual(expect.arrayContaining(values))
})

test('records that come alone cost a fetch each, and one commit together, at the latest before the group is left', async () => {
  const requests: string[] = []
  const { consumer: create } = kafkajs.Kafka.prototype
  const created = jest.spyOn(kafkajs.Kafka.prototype, 'consumer').mockImplementation(function observed(
    this: kafkajs.Kafka,
    config,
  ) {
    const made = create.call(this, config)
    made.on(made.events.REQUEST, ({ payload }) => requests.push(payload.apiName))
    return made
  })
  let handled = 0
  const never = { quietMs: 60_000, latestMs: 60_000, records: 500 }
  const handle: HandleRecords = async ({ length }) => {
    handled += length
  }
  const { topics, send, stop, committed } = await start(handle, undefined, undefined, never)
  await send(topics.mention, 0, '0')
  await eventually(() => handled === 1)
  created.mockRestore()
  requests.length = 0
  for (let n = 1; n < 20; n++) {
    await send(n % 2 ? topics.mention : topics.change, 0, String(n))
    await eventually(() => handled === n + 1)
  }
  await stop()
  expect(requests.filter((name) => !['Fetch', 'Heartbeat'].includes(name))).toEqual(['OffsetCommit', 'LeaveGroup'])
  expect([await committed(topics.mention, 0), await committed(topics.change, 0)]).toEqual([11, 9])
})
