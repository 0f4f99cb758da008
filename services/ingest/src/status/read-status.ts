import type { Clock } from '@herald/runtime'
import type { StorageState, Store } from '@herald/store'
import type { ClusterDescription, GroupPosition, KafkaPort, PositionReader } from '../consume/kafka-port.ts'
import { findTopicProblems } from '../consume/topic-problems.ts'

/** The state of a dependency, or why it is unknown. */
type Known<State> = ({ readonly ok: true } & State) | { readonly ok: false; readonly reason: string }

export type PartitionStatus = {
  readonly topic: string
  readonly partition: number
  /** Records that the group has not committed. */
  readonly lag: number
  /** Records per second since the previous look; absent at the first one. */
  readonly published?: number | undefined
  readonly stored?: number | undefined
}

/** How many wait, and since when. */
export type Waiting = StorageState['waitingReceipts']

export type Status = {
  readonly time: string
  readonly version: string
  readonly revision?: string | undefined
  readonly group: string
  readonly kafka: Known<
    ClusterDescription & { readonly problems: readonly string[]; readonly partitions: readonly PartitionStatus[] }
  >
  readonly mongodb: Known<StorageState & { readonly dueAnnouncements: Waiting | undefined }>
}

export type StatusReaderDependencies = {
  readonly kafka: Pick<KafkaPort, 'createPositionReader' | 'describeCluster' | 'describeTopics'>
  readonly store: Pick<Store, 'readState' | 'announcements'>
  readonly groupId: string
  readonly topics: readonly string[]
  readonly deadLetterTopic: string
  readonly clock: Clock
  readonly build: { readonly version: string; readonly revision?: string }
}

export type StatusReader = { read(): Promise<Status>; close(): Promise<void> }

/** Counting stops here. */
const countLimit = 100_000

/** Reads the state of both dependencies. One that is unavailable does not hide the other. */
export function createStatusReader(dependencies: StatusReaderDependencies): StatusReader {
  const { kafka, store, groupId, topics, deadLetterTopic, clock, build } = dependencies
  let positions: { readonly topics: string; readonly reader: PositionReader } | undefined
  let previous: { readonly at: Date; readonly positions: readonly GroupPosition[] } | undefined

  const readPartitions = async (present: readonly string[]): Promise<PartitionStatus[]> => {
    if (positions?.topics !== present.join()) {
      await positions?.reader.close()
      positions = { topics: present.join(), reader: kafka.createPositionReader(groupId, present) }
    }
    const current = { at: clock(), positions: await positions.reader.read() }
    const statuses = current.positions.map((position) => toPartitionStatus(position, current.at, previous))
    previous = current
    return statuses
  }

  const readKafka = async () => {
    const cluster = await kafka.describeCluster()
    const problems = await findTopicProblems(kafka, topics, deadLetterTopic)
    // A missing topic would fail the positions of all.
    const present = [...(await kafka.describeTopics(topics)).keys()]
    return {
      ok: true,
      ...cluster,
      problems,
      partitions: present.length === 0 ? [] : await readPartitions(present),
    } as const
  }

  const readStorage = async () => {
    const state = await store.readState()
    // Before `migrate` of this release, the index that counts them is missing.
    const counted = await store.announcements.countDue(clock(), countLimit).catch(() => undefined)
    const dueAnnouncements = counted && { count: counted.due, oldest: counted.oldest }
    return { ok: true, ...state, dueAnnouncements } as const
  }

  return {
    async read() {
      const [kafkaState, storageState] = await Promise.all([readKafka().catch(toReason), readStorage().catch(toReason)])
      const { version, revision } = build
      return {
        time: clock().toISOString(),
        version,
        revision,
        group: groupId,
        kafka: kafkaState,
        mongodb: storageState,
      }
    },
    async close() {
      await positions?.reader.close()
    },
  }
}

const toReason = (error: unknown) =>
  ({ ok: false, reason: error instanceof Error ? error.message : String(error) }) as const

function toPartitionStatus(
  { topic, partition, committed, end }: GroupPosition,
  at: Date,
  previous: { readonly at: Date; readonly positions: readonly GroupPosition[] } | undefined,
): PartitionStatus {
  const lag = Number(end - committed)
  const before = previous?.positions.find((one) => one.topic === topic && one.partition === partition)
  const seconds = (at.getTime() - (previous?.at.getTime() ?? 0)) / 1_000
  if (before === undefined || seconds <= 0) return { topic, partition, lag }
  const rate = (now: bigint, then: bigint) => Math.round((Number(now - then) / seconds) * 10) / 10
  return { topic, partition, lag, published: rate(end, before.end), stored: rate(committed, before.committed) }
}
