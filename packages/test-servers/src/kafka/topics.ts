import { type Admin, type ITopicConfig, Kafka, logLevel } from 'kafkajs'
import { eventually } from '../processes/polling.ts'

export type HeraldTopics = {
  mention: string
  change: string
  receipt: string
  privacy: string
  deadLetter: string
}

export const defaultTopics: HeraldTopics = {
  mention: 'mention-events',
  change: 'change-events',
  receipt: 'receipt-events',
  privacy: 'privacy-events',
  deadLetter: 'herald-dead-letter',
}

/** The topic of checkpoints where the change log is sealed; not among the others, because it is optional. */
export const checkpointTopic = 'log-checkpoints'

const KIB = 1024
/** A value of 1 MiB plus room for key, headers and batch. */
const ORIGIN_BYTES = 1024 * KIB + 64 * KIB
/** The largest record of an origin topic plus the headers of a dead letter. */
const DEAD_LETTER_BYTES = 2048 * KIB

/** Returns the default topic names with a suffix, so that test files do not share topics. */
export function topicsWithSuffix(suffix: string): HeraldTopics {
  const { mention, change, receipt, privacy, deadLetter } = defaultTopics
  const named = (topic: string) => `${topic}-${suffix}`
  return {
    mention: named(mention),
    change: named(change),
    receipt: named(receipt),
    privacy: named(privacy),
    deadLetter: named(deadLetter),
  }
}

/** Creates missing topics and returns all names once each partition has a leader. */
export async function createTopics(
  brokers: readonly string[],
  topics: Partial<HeraldTopics> & { notification?: string | undefined; checkpoint?: string | undefined } = {},
  { partitions = 3 }: { partitions?: number } = {},
): Promise<HeraldTopics> {
  const { checkpoint, ...others } = topics
  const names = { ...defaultTopics, ...others }
  const all = [...Object.values(names), checkpoint].filter((name) => name !== undefined)
  const admin = new Kafka({ clientId: 'herald-topics', brokers: [...brokers], logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
  try {
    const configOf = (topic: string) => {
      if (topic === checkpoint) return { 'cleanup.policy': 'delete', 'retention.ms': '-1' }
      return { 'max.message.bytes': String(topic === names.deadLetter ? DEAD_LETTER_BYTES : ORIGIN_BYTES) }
    }
    await untilCreated(all, () => create(admin, all, configOf, partitions))
    await untilLed(admin, all)
  } finally {
    await admin.disconnect()
  }
  return names
}

/** Creates the topics that the broker does not list. */
async function create(
  admin: Admin,
  all: readonly string[],
  configOf: (topic: string) => Record<string, string>,
  partitions: number,
) {
  const existing = new Set(await admin.listTopics())
  const topics = all.filter((topic) => !existing.has(topic))
  if (topics.length === 0) return
  await admin.createTopics({
    // kafkajs fails while a broker does not know the topic yet; `untilLed` waits instead.
    waitForLeaders: false,
    topics: topics.map((topic) => ({
      topic,
      numPartitions: partitions,
      // The default of the cluster.
      replicationFactor: -1,
      configEntries: Object.entries(configOf(topic)).map(([name, value]) => ({ name, value })),
    })),
  })
}

/** Creates a topic and returns once each partition has a leader. */
export async function createTopic(admin: Admin, config: ITopicConfig & { numPartitions: number }): Promise<void> {
  await untilCreated([config.topic], () => admin.createTopics({ waitForLeaders: false, topics: [config] }))
  await untilLed(admin, [config.topic], config.numPartitions)
}

/** Tries again: a broker that got no processor for some seconds counts as gone, and a topic without a broker is refused. */
async function untilCreated(topics: readonly string[], create: () => Promise<unknown>) {
  const isCreated = () => create().then(() => true)
  await eventually(isCreated, { description: `the broker creates ${topics.join(', ')}`, every: 500 })
}

/**
 * Waits until the brokers list the offsets of every partition, of which there are `count` if it is known: the metadata name a leader
 * before it accepts requests.
 */
async function untilLed(admin: Admin, topics: string[], count?: number) {
  await eventually(
    async () => {
      const offsets = await Promise.all(topics.map((topic) => admin.fetchTopicOffsets(topic)))
      return offsets.every(({ length }) => (count === undefined ? length > 0 : length === count))
    },
    { description: `every partition of ${topics.join(', ')} has a leader` },
  )
}
