import kafkajs, { type Admin, type Kafka } from 'kafkajs'
import type { OffsetRange, TopicDescription } from '../port/kafka-port.ts'

const { ConfigResourceTypes } = kafkajs

/** The first one limits the size of a batch, in compressed bytes. */
const configNames = ['max.message.bytes', 'cleanup.policy', 'retention.ms', 'retention.bytes']

export async function withAdmin<T>(kafka: Kafka, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafka.admin({ retry: { retries: 1 } })
  try {
    await admin.connect()
    return await work(admin)
  } finally {
    await admin.disconnect()
  }
}

export async function describeTopics(
  admin: Admin,
  topics: readonly string[],
): Promise<ReadonlyMap<string, TopicDescription>> {
  const existing = new Set(await admin.listTopics())
  const found = topics.filter((topic) => existing.has(topic))
  if (found.length === 0) return new Map()
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: found.map((name) => ({ type: ConfigResourceTypes.TOPIC, name, configNames })),
  })
  return new Map(
    resources.map(({ resourceName, configEntries }) => {
      const values = new Map(configEntries.map(({ configName, configValue }) => [configName, configValue]))
      const [maxBatchBytes, , retentionMs, retentionBytes] = configNames.map((name) => Number(values.get(name)))
      const numbers = { maxBatchBytes, retentionMs, retentionBytes } as Omit<TopicDescription, 'cleanupPolicy'>
      return [resourceName, { ...numbers, cleanupPolicy: values.get('cleanup.policy') ?? '' }]
    }),
  )
}

/** Brokers index timestamps, so this reads no records. */
export async function offsetsSince(admin: Admin, topic: string, since: Date): Promise<OffsetRange[]> {
  const starts = await admin.fetchTopicOffsetsByTimestamp(topic, Math.max(0, since.getTime()))
  const ends = new Map((await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => [partition, BigInt(high)]))
  return starts.map(({ partition, offset }) => {
    const from = BigInt(offset)
    return { partition, from, end: ends.get(partition) ?? from }
  })
}

export async function countMembers(admin: Admin, groupId: string): Promise<number> {
  const { groups } = await admin.describeGroups([groupId])
  return groups.reduce((sum, { members }) => sum + members.length, 0)
}
