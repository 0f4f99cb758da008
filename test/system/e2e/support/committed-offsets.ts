import { eventually } from '@herald/test-servers'
import { type Admin, Kafka, logLevel } from 'kafkajs'

export type RecordPosition = { topic: string; partition: number; offset: bigint }

/** The offsets that a consumer group has committed. */
export async function groupProgress(brokers: string[], groupId: string, topics: string[]) {
  return withAdmin(brokers, async (admin) => {
    const committed = await committedBy(admin, groupId, topics)
    return {
      isCommitted: ({ topic, partition, offset }: RecordPosition) =>
        offset < (committed.get(`${topic}/${partition}`) ?? -1n),
    }
  })
}

/** Waits until a consumer group has committed everything that its topics have now. */
export async function untilConsumed({
  brokers,
  groupId,
  topics,
  withinMs = 90_000,
}: {
  brokers: string[]
  groupId: string
  topics: string[]
  withinMs?: number | undefined
}): Promise<void> {
  await withAdmin(brokers, async (admin) => {
    const ends: RecordPosition[] = []
    for (const topic of topics) {
      for (const { partition, high } of await admin.fetchTopicOffsets(topic)) {
        if (high !== '0') ends.push({ topic, partition, offset: BigInt(high) })
      }
    }
    const isConsumed = async () => {
      const committed = await committedBy(admin, groupId, topics)
      return ends.every(({ topic, partition, offset }) => (committed.get(`${topic}/${partition}`) ?? -1n) >= offset)
    }
    await eventually(isConsumed, { within: withinMs, description: `${groupId} has committed ${topics.join(', ')}` })
  })
}

async function committedBy(admin: Admin, groupId: string, topics: string[]): Promise<Map<string, bigint>> {
  const committed = new Map<string, bigint>()
  for (const { topic, partitions } of await admin.fetchOffsets({ groupId, topics })) {
    for (const { partition, offset } of partitions) committed.set(`${topic}/${partition}`, BigInt(offset))
  }
  return committed
}

async function withAdmin<T>(brokers: string[], use: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
  try {
    return await use(admin)
  } finally {
    await admin.disconnect()
  }
}
