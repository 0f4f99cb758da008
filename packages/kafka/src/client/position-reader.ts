import type { Admin, Kafka } from 'kafkajs'
import type { GroupPosition, PositionReader } from '../port/kafka-port.ts'

export function createPositionReader(kafka: Kafka, groupId: string, topics: readonly string[]): PositionReader {
  const admin = kafka.admin({ retry: { retries: 1 } })
  let connected: Promise<void> | undefined
  return {
    async read() {
      connected ??= admin.connect()
      await connected
      return readPositions(admin, groupId, topics)
    },
    close: () => admin.disconnect(),
  }
}

async function readPositions(admin: Admin, groupId: string, topics: readonly string[]): Promise<GroupPosition[]> {
  const committed = new Map<string, bigint>()
  for (const { topic, partitions } of await admin.fetchOffsets({ groupId, topics: [...topics] })) {
    for (const { partition, offset } of partitions) committed.set(`${topic}/${partition}`, BigInt(offset))
  }
  const positions: GroupPosition[] = []
  for (const topic of topics) {
    for (const { partition, high, low } of await admin.fetchTopicOffsets(topic)) {
      const offset = committed.get(`${topic}/${partition}`) ?? -1n
      const first = BigInt(low)
      // Without a commit, or with one before the first record, the consumer starts at the first record.
      positions.push({ topic, partition, committed: offset < first ? first : offset, end: BigInt(high) })
    }
  }
  return positions
}
