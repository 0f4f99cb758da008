import type { Clock } from '@herald/runtime'
import type { Store } from '@herald/store'
import { findTopicProblems } from '#ingest/consume/topic-problems'
import type { GroupPosition, KafkaPort } from '#ingest/port/kafka-port'
import { type KafkaSettings, topicsReadBy } from '#ingest/settings/config'
import { messageOf } from '../command-line/command.ts'

export type StatusReaderDependencies = {
  readonly kafka: Pick<KafkaPort, 'createPositionReader' | 'describeTopics'>
  readonly store: Pick<Store, 'readState'>
  readonly settings: KafkaSettings
  readonly clock: Clock
}

export type Status = Awaited<ReturnType<ReturnType<typeof createStatusReader>>>
export type KafkaStatus = Extract<Status['kafka'], { ok: true }>
export type StorageStatus = Extract<Status['mongodb'], { ok: true }>

type Positions = { readonly at: Date; readonly positions: readonly GroupPosition[] }

/** Reads the state of both dependencies. One that is unavailable does not hide the other. */
export function createStatusReader({ kafka, store, settings, clock }: StatusReaderDependencies) {
  const topics = [...topicsReadBy(settings).keys()]
  const group = settings.KAFKA_GROUP_ID
  let previous: Positions | undefined

  const readPartitions = async (present: readonly string[]) => {
    if (present.length === 0) return []
    const reader = kafka.createPositionReader(group, present)
    const current = { at: clock(), positions: await reader.read().finally(() => reader.close()) }
    const partitions = current.positions.map((position) => toPartition(position, current.at, previous))
    previous = current
    return partitions
  }

  const readKafka = async () => {
    const problems = await findTopicProblems(kafka, topics, settings.KAFKA_DEAD_LETTER_TOPIC)
    // A missing topic would fail the positions of all.
    const present = await kafka.describeTopics(topics)
    return { ok: true, problems, partitions: await readPartitions([...present.keys()]) } as const
  }

  const readStorage = async () => ({ ok: true, ...(await store.readState()) }) as const
  return async () => {
    const [kafkaState, storageState] = await Promise.all([readKafka().catch(toReason), readStorage().catch(toReason)])
    return { time: clock().toISOString(), group, kafka: kafkaState, mongodb: storageState }
  }
}

const toReason = (error: unknown) => ({ ok: false, reason: messageOf(error) }) as const

/** Records that the group has not committed, and records per second since the previous look. */
function toPartition({ topic, partition, committed, end }: GroupPosition, at: Date, previous: Positions | undefined) {
  const lag = Number(end - committed)
  const before = previous?.positions.find((one) => one.topic === topic && one.partition === partition)
  const seconds = (at.getTime() - (previous?.at.getTime() ?? 0)) / 1_000
  if (before === undefined || seconds <= 0) return { topic, partition, lag }
  const rate = (now: bigint, then: bigint) => Math.round((Number(now - then) / seconds) * 10) / 10
  return { topic, partition, lag, published: rate(end, before.end), stored: rate(committed, before.committed) }
}
