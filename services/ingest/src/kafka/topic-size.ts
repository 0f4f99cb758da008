import kafkajs, { type Admin, type Kafka } from 'kafkajs'
import { within } from './time-limit.ts'

const { ConfigResourceTypes } = kafkajs

/** The setting of a topic that bounds a batch, in bytes as it is sent. */
export const sizeSetting = 'max.message.bytes'

/** What Kafka sets by itself. */
const defaultBytes = 1_048_588
const keptMs = 60_000
const askedMs = 2_000

/** By topic, the largest batch that it takes. */
export async function readTopicSizes(admin: Admin, topics: readonly string[]): Promise<Map<string, number>> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map((name) => ({ type: ConfigResourceTypes.TOPIC, name, configNames: [sizeSetting] })),
  })
  return new Map(
    resources.map(({ resourceName, configEntries }) => [resourceName, Number(configEntries[0]?.configValue)]),
  )
}

/** The largest batch that one topic takes, asked for now and then; Kafka's default while that is unknown. */
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
    /** It was wrong: the next one who asks gets it anew. */
    forget(): void {
      known = undefined
    },
  }
}
