import { type Admin, Kafka, logLevel } from 'kafkajs'

export interface HeraldTopics {
  mention: string
  change: string
  receipt: string
  deadLetter: string
}

export const defaultTopics: HeraldTopics = {
  mention: 'mention-events',
  change: 'change-events',
  receipt: 'receipt-events',
  deadLetter: 'herald-dead-letter',
}

const KIB = 1024
/** A value of 1 MiB, and room for key, headers and the batch around it. */
const ORIGIN_BYTES = 1024 * KIB + 64 * KIB
/** Takes the largest origin record, with all that is said about its failure. */
const DEAD_LETTER_BYTES = 2048 * KIB

/** The usual topics under names of their own, so that one test file never reads another's records. */
export function topicsWithSuffix(suffix: string): HeraldTopics {
  const { mention, change, receipt, deadLetter } = defaultTopics
  const named = (topic: string) => `${topic}-${suffix}`
  return { mention: named(mention), change: named(change), receipt: named(receipt), deadLetter: named(deadLetter) }
}

/** Makes the topics that do not exist yet, and returns their names when each partition has a leader. */
export async function createTopics(
  brokers: readonly string[],
  topics: Partial<HeraldTopics> = {},
  { partitions = 3 }: { partitions?: number } = {},
): Promise<HeraldTopics> {
  const names = { ...defaultTopics, ...topics }
  const admin = new Kafka({ clientId: 'herald-topics', brokers: [...brokers], logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
  try {
    const existing = new Set(await admin.listTopics())
    const missing = Object.values(names).filter((topic) => !existing.has(topic))
    await create(admin, missing, names.deadLetter, partitions)
  } finally {
    await admin.disconnect()
  }
  return names
}

async function create(admin: Admin, topics: readonly string[], deadLetter: string, partitions: number) {
  if (topics.length === 0) return
  await admin.createTopics({
    waitForLeaders: true,
    topics: topics.map((topic) => ({
      topic,
      numPartitions: partitions,
      // As many copies as the cluster is set to keep.
      replicationFactor: -1,
      configEntries: [
        { name: 'max.message.bytes', value: String(topic === deadLetter ? DEAD_LETTER_BYTES : ORIGIN_BYTES) },
      ],
    })),
  })
}
