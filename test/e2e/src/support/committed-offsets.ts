import { Kafka, logLevel } from 'kafkajs'

export type RecordPosition = { topic: string; partition: number; offset: bigint }

/** Compares the offsets that a consumer group has committed with the end offsets of its topics. */
export async function groupProgress(brokers: string[], groupId: string, topics: string[]) {
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
  try {
    const committed = new Map<string, bigint>()
    const ends = new Map<string, bigint>()
    for (const { topic, partitions } of await admin.fetchOffsets({ groupId, topics })) {
      for (const { partition, offset } of partitions) committed.set(`${topic}/${partition}`, BigInt(offset))
      for (const { partition, high } of await admin.fetchTopicOffsets(topic)) {
        ends.set(`${topic}/${partition}`, BigInt(high))
      }
    }
    return {
      isCommitted: ({ topic, partition, offset }: RecordPosition) =>
        offset < (committed.get(`${topic}/${partition}`) ?? -1n),
      isAtEnd: [...ends].every(([partition, end]) => end === 0n || committed.get(partition) === end),
    }
  } finally {
    await admin.disconnect()
  }
}
