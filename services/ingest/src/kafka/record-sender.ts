import kafkajs, { type Kafka, type Message } from 'kafkajs'
import type { OutgoingRecord } from '../events/dead-letter.ts'

const { Partitioners } = kafkajs

export type RecordSender = {
  /** Appends the records to the partition in order. Resolves when they are durable. */
  send(topic: string, partition: number, records: readonly OutgoingRecord[]): Promise<void>
  close(): Promise<void>
}

export async function connectRecordSender(kafka: Kafka): Promise<RecordSender> {
  const producer = kafka.producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
  })
  await producer.connect()
  return {
    async send(topic, partition, records) {
      const messages = records.map((record) => ({ ...record, partition })) as Message[]
      await producer.send({ topic, acks: -1, messages })
    },
    close: () => producer.disconnect(),
  }
}
