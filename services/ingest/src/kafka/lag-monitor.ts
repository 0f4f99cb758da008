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
  /** Told after each look, and not waited for: how far the group has come must be known whatever is done with it. */
  readonly onLook?: () => void
}

export type LagMonitor = {
  start(): void
  stop(): Promise<void>
  /** By the last look; empty while the broker could not be asked. */
  lags(): readonly PartitionLag[]
  /** A time before which everything that the topic then held has been committed, by whichever member of the group. */
  handledUntil(topic: string): Date | undefined
  /** Since when a partition has had work and nothing of it was committed; `undefined` for one that moves. */
  stuckSince(topic: string, partition: number): Date | undefined
}

type Position = { readonly committed: bigint; readonly end: bigint }
type Look = { readonly at: Date; readonly positions: ReadonlyMap<string, Position> }

const placeOf = (topic: string, partition: number) => `${topic}/${partition}`

/**
 * Looks every few seconds at how far the group has come, from the broker's own books: what a consumer believes of itself
 * is no proof that it moves.
 */
export function createLagMonitor(dependencies: LagMonitorDependencies): LagMonitor {
  const { kafka, groupId, topics, clock, logger, intervalMs = 5_000, onLook } = dependencies
  const handled = new Map<string, Date>()
  const stuck = new Map<string, Date>()
  /** For each topic the last look whose ends have not all been reached. */
  const marks = new Map<string, Look>()
  let last: Look | undefined
  let admin: Admin | undefined
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> = Promise.resolve()
  let stopped = false

  const connect = async (): Promise<Admin> => {
    if (admin) return admin
    const fresh = kafka.admin({ retry: { retries: 1 } })
    await fresh.connect()
    admin = fresh
    return fresh
  }

  const look = async (): Promise<void> => {
    try {
      const at = clock()
      const positions = await readPositions(await connect(), groupId, topics)
      const current = { at, positions }
      for (const topic of topics) noteHandled(topic, current)
      noteStuck(current)
      last = current
    } catch (error) {
      last = undefined
      logger.debug({ err: error }, 'Could not look at the lag')
      await admin?.disconnect().catch(() => {})
      admin = undefined
    }
    onLook?.()
  }

  const noteHandled = (topic: string, current: Look): void => {
    const mark = marks.get(topic) ?? current
    const own = [...mark.positions].filter(([place]) => place.startsWith(`${topic}/`))
    const reached = own.every(([place, { end }]) => (current.positions.get(place)?.committed ?? -1n) >= end)
    if (reached) handled.set(topic, mark.at)
    marks.set(topic, reached ? current : mark)
  }

  const noteStuck = (current: Look): void => {
    for (const [place, { committed, end }] of current.positions) {
      const moved = last?.positions.get(place)?.committed !== committed
      if (committed >= end || moved) stuck.delete(place)
      else if (!stuck.has(place)) stuck.set(place, last?.at ?? current.at)
    }
  }

  const schedule = (): void => {
    if (stopped) return
    timer = setTimeout(() => {
      looking = look().finally(schedule)
    }, intervalMs)
  }

  return {
    start: schedule,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await looking
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
      // Without a commit, or with one that was deleted under it, reading begins at the first record.
      positions.set(place, { committed: offset < BigInt(low) ? BigInt(low) : offset, end: BigInt(high) })
    }
  }
  return positions
}
