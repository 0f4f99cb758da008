import type { GroupPosition, KafkaPort } from '@herald/kafka'
import { type Clock, type Logger, within } from '@herald/runtime'

export type PartitionLag = { readonly topic: string; readonly partition: number; readonly lag: number }

export type LagMonitorDependencies = {
  readonly kafka: Pick<KafkaPort, 'createPositionReader'>
  readonly groupId: string
  readonly topics: readonly string[]
  readonly clock: Clock
  /** The time by MongoDB's clock. */
  readonly now: Clock
  readonly logger: Logger
  readonly intervalMs: number
  readonly limitMs?: number
  /** Called after each poll and not awaited, so that it cannot delay the next one. */
  readonly onPoll?: (positions: readonly GroupPosition[] | undefined) => void
}

export type LagMonitor = ReturnType<typeof createLagMonitor>

type Snapshot = { readonly at: Date; readonly now: Date; readonly positions: ReadonlyMap<string, GroupPosition> }

const placeOf = (topic: string, partition: number) => `${topic}/${partition}`

/** Polls the group's progress by asking the broker: the state of the consumer itself does not prove progress. */
export function createLagMonitor(dependencies: LagMonitorDependencies) {
  const { kafka, groupId, topics, clock, now, logger, intervalMs, limitMs = 30_000, onPoll } = dependencies
  let reader = kafka.createPositionReader(groupId, topics)
  const caughtUp = new Map<string, Date>()
  const stuck = new Map<string, Date>()
  /** Partitions of which the group has committed more than they hold. */
  const ahead = new Set<string>()
  /** The last poll of each topic whose end offsets have not all been reached. */
  const marks = new Map<string, Snapshot>()
  /** The last poll that was answered: one that fails says nothing about progress. */
  let last: Snapshot | undefined
  let isKnown = false
  let timer: NodeJS.Timeout | undefined
  let polling: Promise<void> = Promise.resolve()
  let stopped = false

  const poll = async (): Promise<void> => {
    let positions: readonly GroupPosition[] | undefined
    try {
      const times = { at: clock(), now: now() }
      positions = await within(limitMs, reader.read())
      const current = {
        ...times,
        positions: new Map(positions.map((one) => [placeOf(one.topic, one.partition), one])),
      }
      for (const topic of topics) noteCaughtUp(topic, current)
      noteStuck(current)
      noteAhead(current)
      last = current
      isKnown = true
    } catch (error) {
      isKnown = false
      logger.debug({ err: error }, 'Could not read lag')
      // Closing is not awaited, since it may hang like the request.
      reader.close().catch(() => {})
      reader = kafka.createPositionReader(groupId, topics)
    }
    onPoll?.(positions)
  }

  const noteCaughtUp = (topic: string, current: Snapshot): void => {
    const mark = marks.get(topic) ?? current
    const own = [...mark.positions].filter(([, position]) => position.topic === topic)
    const reached = own.every(([place, { end }]) => (current.positions.get(place)?.committed ?? -1n) >= end)
    if (reached) caughtUp.set(topic, mark.now)
    // A topic that was deleted and made anew may never have as many records again.
    const isAnew = own.some(([place, { end }]) => (current.positions.get(place)?.end ?? end) < end)
    marks.set(topic, reached || isAnew ? current : mark)
  }

  const noteStuck = (current: Snapshot): void => {
    for (const [place, { committed, end }] of current.positions) {
      const moved = last?.positions.get(place)?.committed !== committed
      if (committed >= end || moved) stuck.delete(place)
      else if (!stuck.has(place)) stuck.set(place, last?.at ?? current.at)
    }
  }

  const noteAhead = ({ positions: found }: Snapshot): void => {
    for (const [place, { topic, partition, committed, end }] of found) {
      if (committed <= end) ahead.delete(place)
      else if (!ahead.has(place)) {
        ahead.add(place)
        const offsets = { committed: Number(committed), end: Number(end) }
        logger.error(
          { topic, partition, ...offsets },
          'The topic ends before the committed offset, reading it from its start',
        )
      }
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
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await polling
      await reader.close()
    },
    /** The lags as of the last poll; empty if it failed. */
    lags(): PartitionLag[] {
      if (last === undefined || !isKnown) return []
      return [...last.positions.values()].map(({ topic, partition, committed, end }) => ({
        topic,
        partition,
        lag: Number(end - committed),
      }))
    },
    /** The latest known time, by MongoDB's clock, for which the group has committed all records that the topic held then. */
    caughtUpTo: (topic: string) => caughtUp.get(topic),
    /** Since when a partition has had records but no commit; `undefined` while it makes progress. */
    stuckSince: (topic: string, partition: number) => stuck.get(placeOf(topic, partition)),
  }
}
