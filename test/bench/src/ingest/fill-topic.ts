import { CompressionTypes, Kafka, logLevel } from 'kafkajs'
import type { EventRecord } from './events.ts'

const recordsPerRequest = 2_000

/** Publishes `count` events to the topic, partitioned by key. */
export async function fillTopic(
  brokers: readonly string[],
  topic: string,
  count: number,
  event: (sequence: number) => EventRecord,
): Promise<void> {
  const producer = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).producer()
  await producer.connect()
  for (let start = 0; start < count; start += recordsPerRequest) {
    const messages = Array.from({ length: Math.min(recordsPerRequest, count - start) }, (_, i) => event(start + i))
    await producer.send({ topic, acks: -1, compression: CompressionTypes.None, messages })
  }
  await producer.disconnect()
}
