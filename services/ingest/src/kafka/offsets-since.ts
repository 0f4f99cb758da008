import type { Admin, Kafka } from 'kafkajs'
import type { OffsetRange } from '../consume/kafka-port.ts'

export async function offsetsSince(kafka: Kafka, topic: string, since: Date): Promise<OffsetRange[]> {
  const admin = kafka.admin({ retry: { retries: 1 } })
  try {
    await admin.connect()
    return await rangesSince(admin, topic, since)
  } finally {
    await admin.disconnect()
  }
}

/** Brokers index timestamps, so this reads no records. */
export async function rangesSince(admin: Admin, topic: string, since: Date): Promise<OffsetRange[]> {
  const starts = await admin.fetchTopicOffsetsByTimestamp(topic, Math.max(0, since.getTime()))
  const ends = new Map((await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => [partition, BigInt(high)]))
  return starts.map(({ partition, offset }) => {
    const from = BigInt(offset)
    return { partition, from, end: ends.get(partition) ?? from }
  })
}
