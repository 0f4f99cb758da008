import kafkajs, { type Kafka, type Message } from 'kafkajs'
import { type ProducerOptions, type RecordProducer, RecordTooLarge } from '../consume/kafka-port.ts'

const { Partitioners } = kafkajs

/** Connects a producer. It is not idempotent, since kafkajs's gets out of sequence after errors. */
export async function connectProducer(kafka: Kafka, { retries }: ProducerOptions = {}): Promise<RecordProducer> {
  const producer = kafka.producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
    ...(retries === undefined ? {} : { retry: { retries } }),
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
      try {
        await producer.send({ topic, acks: -1, messages, ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }) })
      } catch (error) {
        throw isTooLarge(error)
          ? new RecordTooLarge(`${topic} rejects records for their size`, { cause: error })
          : error
      }
    },
    close: () => producer.disconnect(),
  }
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'type' in error && error.type === 'MESSAGE_TOO_LARGE'
