import kafkajs, { type Admin, type Kafka } from 'kafkajs'
import { within } from './time-limit.ts'

const { ConfigResourceTypes } = kafkajs

/** The topic setting that limits the size of a batch, in compressed bytes. */
export const sizeSetting = 'max.message.bytes'

/** Kafka's default. */
const defaultBytes = 1_048_588
const keptMs = 60_000
const askedMs = 2_000

/** Returns the largest batch size that each topic accepts. */
export async function readTopicSizes(admin: Admin, topics: readonly string[]): Promise<Map<string, number>> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map((name) => ({ type: ConfigResourceTypes.TOPIC, name, configNames: [sizeSetting] })),
  })
  return new Map(
    resources.map(({ resourceName, configEntries }) => [resourceName, Number(configEntries[0]?.configValue)]),
  )
}

/** Caches the largest batch size that a topic accepts; Kafka's default while it is unknown. */
export function createTopicSize(kafka: Kafka, topic: string, now = () => performance.now()) {
  let known: { readonly bytes: Promise<number>; readonly until: number } | undefined

  const ask = async (): Promise<number> => {
    const admin = kafka.admin({ retry: { retries: 0 } })
    try {
      await admin.connect()
      return (await readTopicSizes(admin, [topic])).get(topic) || defaultBytes
    } finally {
      admin.disconnect().catch(() => {})
    }
  }

  return {
    get(): Promise<number> {
      if (known === undefined || known.until < now()) {
        known = { bytes: within(askedMs, ask()).catch(() => defaultBytes), until: now() + keptMs }
      }
      return known.bytes
    },
    /** Drops a value that turned out to be wrong, so that the next call reads it again. */
    forget(): void {
      known = undefined
    },
  }
}
