import kafkajs, { type Kafka } from 'kafkajs'
import type { TopicDescription } from '../consume/kafka-port.ts'

const { ConfigResourceTypes } = kafkajs

/** The topic setting that limits the size of a batch, in compressed bytes. */
const sizeSetting = 'max.message.bytes'

export async function describeTopics(
  kafka: Kafka,
  topics: readonly string[],
): Promise<ReadonlyMap<string, TopicDescription>> {
  const admin = kafka.admin({ retry: { retries: 1 } })
  try {
    await admin.connect()
    const existing = new Set(await admin.listTopics())
    const found = topics.filter((topic) => existing.has(topic))
    if (found.length === 0) return new Map()
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: found.map((name) => ({ type: ConfigResourceTypes.TOPIC, name, configNames: [sizeSetting] })),
    })
    return new Map(
      resources.map(({ resourceName, configEntries }) => [
        resourceName,
        { maxBatchBytes: Number(configEntries[0]?.configValue) },
      ]),
    )
  } finally {
    await admin.disconnect()
  }
}
