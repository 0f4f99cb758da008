import { setTimeout as pause } from 'node:timers/promises'
import { backoffMs } from '@herald/runtime'
import kafkajs, { type Kafka, type Message } from 'kafkajs'
import { type ProducerOptions, type RecordProducer, RecordTooLarge } from '../port/kafka-port.ts'

const { KafkaJSNumberOfRetriesExceeded, Partitioners } = kafkajs
const pauses = { minPauseMs: 200, maxPauseMs: 6_400 } as const

/** Connects a producer. It is not idempotent, since kafkajs's gets out of sequence after errors. */
export async function connectProducer(kafka: Kafka, { retries = 5 }: ProducerOptions = {}): Promise<RecordProducer> {
  const producer = kafka.producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
    // kafkajs's own retry asks only brokers that have not responded: records whose partition moved to one that has are never
    // sent, and `send` still resolves.
    retry: { retries: 0 },
  })
  try {
    await producer.connect()
  } catch (error) {
    await producer.disconnect().catch(() => {})
    throw error
  }
  return {
    async send(records, { topic, partition, timeoutMs }) {
      const messages = records.map((record) =>
        partition === undefined ? record : { ...record, partition },
      ) as Message[]
      for (let tried = 0; ; tried++) {
        try {
          const timeout = timeoutMs === undefined ? {} : { timeout: timeoutMs }
          const sent = await producer.send({ topic, acks: -1, messages, ...timeout })
          // kafkajs leaves out partitions that the topic does not have, and resolves.
          if (sent.length === 0 && records.length > 0) throw new Error(`${topic} has no partition ${partition}`)
          return
        } catch (error) {
          if (isTooLarge(error)) throw new RecordTooLarge(`${topic} rejects records for their size`, { cause: error })
          if (tried === retries || !(error instanceof KafkaJSNumberOfRetriesExceeded)) throw error
          await pause(backoffMs(tried, pauses))
        }
      }
    },
    close: () => producer.disconnect(),
  }
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'type' in error && error.type === 'MESSAGE_TOO_LARGE'
