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
    const read = () => readPartitions(kafka, group, present, () => pause(rateMs))
    return { ok: true, problems, ...(present.length === 0 ? { partitions: [], positions: [] } : await read()) } as const
  }
  const readStorage = async () => {
    const [state, log] = await Promise.all([store.readState(), store.readLogStatus({ limit: 0 })])
    return { ok: true, ...state, orderLagSeconds: log.orderLagSeconds, stoppedLogs: log.stopped } as const
  }
  const [found, storageState] = await Promise.all([readKafka().catch(toReason), readStorage().catch(toReason)])
  const { positions = [], ...kafkaState } = { positions: undefined, ...found }
  const restored = await findRestored(store, group, positions).catch(() => undefined)
  return { time: clock().toISOString(), group, kafka: kafkaState, mongodb: storageState, restored }
}

const toReason = (error: unknown) => ({ ok: false, reason: messageOf(error) }) as const

/** Looks twice: rates are those in between. */
async function readPartitions(
  kafka: Pick<KafkaPort, 'createPositionReader'>,
  group: string,
  topics: readonly string[],
  pause: () => Promise<unknown>,
) {
  const reader = kafka.createPositionReader(group, topics)
  try {
    const [before, startedAt] = [await reader.read(), performance.now()]
    await pause()
    const [now, seconds] = [await reader.read(), (performance.now() - startedAt) / 1_000]
    return { partitions: now.map((position) => toPartition(position, before, seconds)), positions: now }
  } finally {
    await reader.close()
  }
}

/** Records that the group has not committed, and records per second. */
function toPartition(
  { topic, partition, committed, end }: GroupPosition,
  all: readonly GroupPosition[],
  seconds: number,
) {
  const lag = Number(end - committed)
  const before = all.find((one) => one.topic === topic && one.partition === partition)
  if (before === undefined) return { topic, partition, lag }
  const rate = (now: bigint, then: bigint) => Math.round((Number(now - then) / seconds) * 10) / 10
  return { topic, partition, lag, published: rate(end, before.end), stored: rate(committed, before.committed) }
}
