import type { Clock, Logger } from '@herald/runtime'
import type { GroupPosition, KafkaPort } from './kafka-port.ts'

export type PartitionLag = { readonly topic: string; readonly partition: number; readonly lag: number }

export type LagMonitorDependencies = {
  readonly kafka: Pick<KafkaPort, 'createPositionReader'>
  readonly groupId: string
  readonly topics: readonly string[]
  readonly clock: Clock
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
  /** The latest known time for which the group has committed all records that the topic held then. */
  caughtUpTo(topic: string): Date | undefined
  /** Since when a partition has had records but no commit; `undefined` while it makes progress. */
  stuckSince(topic: string, partition: number): Date | undefined
}

type Snapshot = { readonly at: Date; readonly positions: ReadonlyMap<string, GroupPosition> }

const placeOf = (topic: string, partition: number) => `${topic}/${partition}`

/**
 * Polls the group's progress every few seconds. It asks the broker, because the state of the consumer itself does not prove
 * progress.
 */
export function createLagMonitor(dependencies: LagMonitorDependencies): LagMonitor {
  const { kafka, groupId, topics, clock, logger, intervalMs = 5_000, onPoll } = dependencies
  const reader = kafka.createPositionReader(groupId, topics)
  const caughtUp = new Map<string, Date>()
  const stuck = new Map<string, Date>()
  /** The last poll of each topic whose end offsets have not all been reached. */
  const marks = new Map<string, Snapshot>()
  let last: Snapshot | undefined
  let timer: NodeJS.Timeout | undefined
  let polling: Promise<void> = Promise.resolve()
  let stopped = false

  const poll = async (): Promise<void> => {
    try {
      const at = clock()
      const positions = await reader.read()
      const current = {
        at,
        positions: new Map(positions.map((one) => [placeOf(one.topic, one.partition), one])),
      }
      for (const topic of topics) noteCaughtUp(topic, current)
      noteStuck(current)
      last = current
    } catch (error) {
      last = undefined
      logger.debug({ err: error }, 'Could not read lag')
    }
    onPoll?.()
  }

  const noteCaughtUp = (topic: string, current: Snapshot): void => {
    const mark = marks.get(topic) ?? current
    const own = [...mark.positions].filter(([, position]) => position.topic === topic)
    const reached = own.every(([place, { end }]) => (current.positions.get(place)?.committed ?? -1n) >= end)
    if (reached) caughtUp.set(topic, mark.at)
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
      await reader.close()
    },
    lags() {
      return [...(last?.positions.values() ?? [])].map(({ topic, partition, committed, end }) => ({
        ...{ topic, partition, lag: Number(end - committed) },
      }))
    },
    caughtUpTo: (topic) => caughtUp.get(topic),
    stuckSince: (topic, partition) => (last ? stuck.get(placeOf(topic, partition)) : undefined),
  }
}
