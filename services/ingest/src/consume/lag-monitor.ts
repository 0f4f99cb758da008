import type { Logger } from '@herald/runtime'
import type { Admin, Kafka } from 'kafkajs'

export type PartitionLag = { readonly topic: string; readonly partition: number; readonly lag: number }

export type LagMonitorDependencies = {
  readonly kafka: Kafka
  readonly groupId: string
  readonly topics: readonly string[]
  readonly clock: () => Date
  readonly logger: Logger
  readonly intervalMs?: number
  /** Called after each poll and not awaited, so that it cannot delay the next one. */
  readonly onPoll?: () => void
}

export type LagMonitor = {
  start(): void
  stop(): Promise<void>
  /** As of the last poll; empty if it failed. */
  lags(): readonly PartitionLag[]
  /** All records that the topic held at this time have been committed by the group. */
  handledUntil(topic: string): Date | undefined
  /** Since when a partition has had records but no commit; `undefined` while it makes progress. */
  stuckSince(topic: string, partition: number): Date | undefined
}

type Position = { readonly committed: bigint; readonly end: bigint }
type Snapshot = { readonly at: Date; readonly positions: ReadonlyMap<string, Position> }

const placeOf = (topic: string, partition: number) => `${topic}/${partition}`

/**
 * Polls the group's progress every few seconds. It asks the broker, because the state of the consumer itself does not prove
 * progress.
 */
export function createLagMonitor(dependencies: LagMonitorDependencies): LagMonitor {
  const { kafka, groupId, topics, clock, logger, intervalMs = 5_000, onPoll } = dependencies
  const handled = new Map<string, Date>()
  const stuck = new Map<string, Date>()
  /** The last poll of each topic whose end offsets have not all been reached. */
  const marks = new Map<string, Snapshot>()
  let last: Snapshot | undefined
  let admin: Admin | undefined
  let timer: NodeJS.Timeout | undefined
  let polling: Promise<void> = Promise.resolve()
  let stopped = false

  const connect = async (): Promise<Admin> => {
    if (admin) return admin
    const fresh = kafka.admin({ retry: { retries: 1 } })
    await fresh.connect()
    admin = fresh
    return fresh
  }

  const poll = async (): Promise<void> => {
    try {
      const at = clock()
      const positions = await readPositions(await connect(), groupId, topics)
      const current = { at, positions }
      for (const topic of topics) noteHandled(topic, current)
      noteStuck(current)
      last = current
    } catch (error) {
      last = undefined
      logger.debug({ err: error }, 'Could not read lag')
      await admin?.disconnect().catch(() => {})
      admin = undefined
    }
    onPoll?.()
  }

  const noteHandled = (topic: string, current: Snapshot): void => {
    const mark = marks.get(topic) ?? current
    const own = [...mark.positions].filter(([place]) => place.startsWith(`${topic}/`))
    const reached = own.every(([place, { end }]) => (current.positions.get(place)?.committed ?? -1n) >= end)
    if (reached) handled.set(topic, mark.at)
    marks.set(topic, reached ? current : mark)
  }

  const noteStuck = (current: Snapshot): void => {
    for (const [place, { committed, end }] of current.positions) {
      const moved = last?.positions.get(place)?.committed !== committed
      if (committed >= end || moved) stuck.delete(place)
      else if (!stuck.has(place)) stuck.set(place, last?.at ?? current.at)
    }
  }

  const schedule = (): void => {
    if (stopped) return
    timer = setTimeout(() => {
      polling = poll().finally(schedule)
    }, intervalMs)
  }

  return {
    start: schedule,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await polling
      await admin?.disconnect()
    },
    lags() {
      return [...(last?.positions ?? [])].map(([place, { committed, end }]) => {
        const slash = place.lastIndexOf('/')
        const [topic, partition] = [place.slice(0, slash), Number(place.slice(slash + 1))]
        return { topic, partition, lag: Number(end - committed) }
      })
    },
    handledUntil: (topic) => handled.get(topic),
    stuckSince: (topic, partition) => (last ? stuck.get(placeOf(topic, partition)) : undefined),
  }
}

async function readPositions(admin: Admin, groupId: string, topics: readonly string[]) {
  const committed = new Map<string, bigint>()
  for (const { topic, partitions } of await admin.fetchOffsets({ groupId, topics: [...topics] })) {
    for (const { partition, offset } of partitions) committed.set(placeOf(topic, partition), BigInt(offset))
  }
  const positions = new Map<string, Position>()
  for (const topic of topics) {
    for (const { partition, high, low } of await admin.fetchTopicOffsets(topic)) {
      const place = placeOf(topic, partition)
      const offset = committed.get(place) ?? -1n
      // Without a commit, or with one before the first record, the consumer starts at the first record.
      positions.set(place, { committed: offset < BigInt(low) ? BigInt(low) : offset, end: BigInt(high) })
    }
  }
  return positions
}
