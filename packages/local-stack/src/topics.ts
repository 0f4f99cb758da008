import { setTimeout as pause } from 'node:timers/promises'
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

const LED_WITHIN_MS = 30_000

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
    await untilLed(admin, Object.values(names))
  } finally {
    await admin.disconnect()
  }
  return names
}

async function create(admin: Admin, topics: readonly string[], deadLetter: string, partitions: number) {
  if (topics.length === 0) return
  await admin.createTopics({
    // kafkajs gives up when a broker has not heard of the topic yet; see below.
    waitForLeaders: false,
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

async function untilLed(admin: Admin, topics: string[]) {
  const deadline = Date.now() + LED_WITHIN_MS
  for (;;) {
    const known = await admin.fetchTopicMetadata({ topics }).catch((error) => {
      if (Date.now() > deadline) throw error
      return { topics: [] }
    })
    const led = known.topics.filter(({ partitions }) => partitions.every(({ leader }) => leader >= 0))
    if (led.length === topics.length) return
    if (Date.now() > deadline) throw new Error(`After ${LED_WITHIN_MS / 1000} s not every topic has a leader.`)
    await pause(50)
  }
}
