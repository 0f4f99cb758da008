import { expect, test } from '@jest/globals'
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
