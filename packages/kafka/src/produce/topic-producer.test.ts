import { afterEach, expect, jest, test } from '@jest/globals'
import { type KafkaPort, RecordTooLarge } from '../port/kafka-port.ts'
import { createTopicProducer } from './topic-producer.ts'

/** A topic producer whose requests end as given, one after another. */
function startWith(...ends: readonly (Error | undefined)[]) {
  let [requests, connections, closed] = [0, 0, 0]
  const kafka = {
    describeTopics: async () => new Map(),
    async connectProducer() {
      connections++
      return {
        async send() {
          const end = ends[requests++]
          if (end) throw end
        },
        close: async () => void closed++,
      }
    },
  } as unknown as KafkaPort
  const record = { key: null, value: Buffer.from('x'), headers: {} }
  const producer = createTopicProducer(kafka, 'topic')
  return { publish: () => producer.publish(() => [{ record }], 1_000), counts: () => ({ connections, closed }) }
}

test('a record that is too large leaves the connection to the others that use it', async () => {
  const { publish, counts } = startWith(new RecordTooLarge('too large'))
  await expect(publish()).rejects.toThrow(RecordTooLarge)
  await publish()
  expect(counts()).toEqual({ connections: 1, closed: 0 })
})

test('a failed request closes the connection, and the next one opens another', async () => {
  const { publish, counts } = startWith(new Error('disconnected'))
  await expect(publish()).rejects.toThrow('disconnected')
  await publish()
  expect(counts()).toEqual({ connections: 2, closed: 1 })
})

afterEach(() => void jest.useRealTimers())

/** Publishes with a fake clock while the topic's limit is read like this, and returns the limits that were assumed. */
function startWithLimits(describe: (asked: number) => Promise<number>) {
  jest.useFakeTimers()
  let asked = 0
  const found: number[] = []
  const kafka = {
    describeTopics: async () => new Map([['topic', { maxBatchBytes: await describe(++asked) }]]),
    connectProducer: async () => ({ send: async () => {}, close: async () => {} }),
  } as unknown as KafkaPort
  const producer = createTopicProducer(kafka, 'topic')
  const prepare = (maxBytes: number) => {
    found.push(maxBytes)
    return []
  }
  return { publish: () => producer.publish(prepare, 1_000), found, asked: () => asked }
}

const unknown = 16 * 1024 * 1024

test('reads the limit of the topic once a minute', async () => {
  const { publish, found } = startWithLimits(async (asked) => asked)
  await publish()
  jest.advanceTimersByTime(59_000)
  await publish()
  jest.advanceTimersByTime(2_000)
  await publish()
  expect(found).toEqual([1, 1, 2])
})

test('reads the limit again about a second after that failed, and later less often', async () => {
  const { publish, asked } = startWithLimits(() => Promise.reject(new Error('unavailable')))
  await publish()
  jest.advanceTimersByTime(900)
  await publish()
  expect(asked()).toBe(1)
  jest.advanceTimersByTime(1_200)
  await publish()
  expect(asked()).toBe(2)
  for (let second = 0; second < 100; second++) {
    jest.advanceTimersByTime(1_000)
    await publish()
  }
  expect(asked()).toBeGreaterThanOrEqual(10)
  expect(asked()).toBeLessThanOrEqual(24)
})

test('waits 2 s for the limit, and uses it as soon as it is known', async () => {
  const { publish, found } = startWithLimits((asked) => (asked === 1 ? new Promise(() => {}) : Promise.resolve(5)))
  const published = publish()
  await jest.advanceTimersByTimeAsync(1_900)
  expect(found).toEqual([])
  await jest.advanceTimersByTimeAsync(200)
  await published
  await publish()
  jest.advanceTimersByTime(2_100)
  await publish()
  expect(found).toEqual([unknown, unknown, 5])
})
