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
  const commits = new Map<string, { offset: bigint; metadata: string }>()
  for (const { topic, partitions } of await admin.fetchOffsets({ groupId, topics: [...topics] })) {
    for (const { partition, offset, metadata } of partitions) {
      if (BigInt(offset) >= 0n)
        commits.set(`${topic}/${partition}`, { offset: BigInt(offset), metadata: metadata ?? '' })
    }
  }
  const positions: GroupPosition[] = []
  for (const topic of topics) {
    for (const { partition, high, low } of await admin.fetchTopicOffsets(topic)) {
      const commit = commits.get(`${topic}/${partition}`)
      const first = BigInt(low)
      // Without a commit, or with one before the first record, the consumer starts at the first record.
      const committed = commit === undefined || commit.offset < first ? first : commit.offset
      positions.push({ topic, partition, committed, end: BigInt(high), commit })
    }
  }
  return positions
}
