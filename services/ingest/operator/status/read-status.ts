import type { GroupPosition, KafkaPort } from '@herald/kafka'
import type { z } from 'zod'
import { findTopicProblems } from '#ingest/consume/topic-problems'
import { type commandSettingsSchema, topicsReadBy } from '#ingest/settings/config'
import { type CommandContext, messageOf } from '../command-line/command.ts'
import { findRestored } from '../restored/find-restored.ts'

export type Status = Awaited<ReturnType<typeof readStatus>>
export type KafkaStatus = Extract<Status['kafka'], { ok: true }>
export type StorageStatus = Extract<Status['mongodb'], { ok: true }>

type StatusContext = CommandContext & { readonly settings: z.output<typeof commandSettingsSchema> }

/** Reads the state of both dependencies. One that is unavailable does not hide the other. */
export async function readStatus({ settings, openKafka, openStore, clock, pause }: StatusContext, rateMs: number) {
  const topics = [...topicsReadBy(settings).keys()]
  const group = settings.KAFKA_GROUP_ID
  const kafka = openKafka(settings)
  const store = openStore(settings)
  const readKafka = async () => {
    const problems = await findTopicProblems(kafka, topics, settings.KAFKA_DEAD_LETTER_TOPIC)
    // A missing topic would fail the positions of all.
    const present = [...(await kafka.describeTopics(topics)).keys()]
    const read = () => readPartitions(kafka, group, present, pause, rateMs)
    return {
      ok: true,
      problems,
      ...(present.length === 0 ? { partitions: [], positions: [], standing: [] } : await read()),
    } as const
  }
  const readStorage = async () => {
    const [state, log] = await Promise.all([store.readState(), store.readLogStatus({ limit: 0 })])
    return { ok: true, ...state, orderLagSeconds: log.orderLagSeconds, stoppedLogs: log.stopped } as const
  }
  const [found, storageState] = await Promise.all([readKafka().catch(toReason), readStorage().catch(toReason)])
  const { positions = [], ...kafkaState } = { positions: undefined, ...found }
  const announces = settings.KAFKA_NOTIFICATION_TOPIC !== undefined
  const restored = await findRestored(store, group, positions).catch(() => undefined)
  return { time: clock().toISOString(), group, announces, kafka: kafkaState, mongodb: storageState, restored }
}

const toReason = (error: unknown) => ({ ok: false, reason: messageOf(error) }) as const

const looksEveryMs = 5_000
/** Longer than a member of the group that joins or leaves it holds up the others. */
const storesWithinMs = 30_000

/** Looks twice: rates are those in between. Goes on while a partition has records and nothing of it is stored. */
async function readPartitions(
  kafka: Pick<KafkaPort, 'createPositionReader'>,
  group: string,
  topics: readonly string[],
  pause: StatusContext['pause'],
  rateMs: number,
) {
  const reader = kafka.createPositionReader(group, topics)
  try {
    const [before, startedAt] = [await reader.read(), performance.now()]
    await pause(rateMs)
    const [now, seconds] = [await reader.read(), (performance.now() - startedAt) / 1_000]
    const hasNotMoved = ({ topic, partition, committed }: GroupPosition) =>
      before.some((one) => one.topic === topic && one.partition === partition && one.committed === committed)
    const isWaiting = (position: GroupPosition) => position.committed < position.end && hasNotMoved(position)
    let latest = now
    for (let waitedMs = rateMs; waitedMs < storesWithinMs && latest.some(isWaiting); waitedMs += looksEveryMs) {
      await pause(looksEveryMs)
      latest = await reader.read()
    }
    const partitions = now.map((position) => toPartition(position, before, seconds))
    return { partitions, positions: now, standing: latest.filter(isWaiting).map(toLag) }
  } finally {
    await reader.close()
  }
}

type PartitionStatus = ReturnType<typeof toLag> & { readonly published?: number; readonly stored?: number }

const toLag = ({ topic, partition, committed, end }: GroupPosition) => ({
  topic,
  partition,
  lag: Number(end - committed),
})

/** Records that the group has not committed, and records per second. */
function toPartition(position: GroupPosition, all: readonly GroupPosition[], seconds: number): PartitionStatus {
  const { topic, partition, committed, end } = position
  const before = all.find((one) => one.topic === topic && one.partition === partition)
  if (before === undefined) return toLag(position)
  const rate = (now: bigint, then: bigint) => Math.round((Number(now - then) / seconds) * 10) / 10
  return { ...toLag(position), published: rate(end, before.end), stored: rate(committed, before.committed) }
}
