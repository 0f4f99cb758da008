import type { IncomingRecord, PartitionBatch } from '@herald/kafka'
import { backoffMs, DeadlineExceeded, type Deadlines, type Logger, within } from '@herald/runtime'
import { NotDueError } from '../events/not-due-error.ts'
import type { HandleRecords } from '../events/record-handler.ts'
import type { RecordKind } from '../settings/config.ts'
import type { Times } from '../settings/times.ts'
import { chunksOf } from './chunks.ts'
import { type OffsetCommits, offsetAfter } from './offset-commits.ts'

export type Chunk = {
  readonly topic: string
  readonly partition: number
  readonly records: number
  readonly seconds: number
}

export type BatchRunnerDependencies = {
  readonly handle: HandleRecords
  readonly kindOf: (topic: string) => RecordKind
  readonly commits: Pick<OffsetCommits, 'handled' | 'flush'>
  readonly logger: Logger
  readonly deadlines: Pick<Deadlines, 'keep'>
  readonly limitMs: number
  /** The growing pauses of a partition whose chunk failed. */
  readonly heldBack: Times['heldBack']
  /** Shorter than kafkajs's heartbeat interval, so that no heartbeat is late. */
  readonly heartbeatMs?: number
  readonly onChunk: (chunk: Chunk) => void
  readonly onHeldBack: (topic: string, partition: number) => void
  readonly onGivenUp: (error: DeadlineExceeded) => void
}

const placeOf = ({ topic, partition }: PartitionBatch) => `${topic}/${partition}`

/**
 * Processes a batch in chunks: handle → resolve → commit → heartbeat. If handling fails, the partition is paused and the
 * rest of the batch is left unresolved, so that it is read again. The runner never waits for a retry, because that would
 * stop all partitions of the broker. A chunk that does not end is given up, without further heartbeats. Errors of commit and
 * heartbeat are passed on to the member, which learns from them that the partition was revoked.
 */
export function createBatchRunner(dependencies: BatchRunnerDependencies) {
  const { handle, kindOf, commits, logger, deadlines, limitMs, heldBack, heartbeatMs = 500 } = dependencies
  const { onChunk, onHeldBack, onGivenUp } = dependencies
  const failures = new Map<string, number>()
  const timers = new Set<NodeJS.Timeout>()

  /**
   * Sends heartbeats, so that a member with a slow chunk is not considered dead. Errors are ignored: kafkajs gets the original
   * one from the heartbeat after the chunk. A member that is still handling a chunk keeps its place in a group that rebalances.
   */
  const startHeartbeats = (batch: PartitionBatch) => {
    const timer = setInterval(() => void batch.heartbeat().catch(() => {}), heartbeatMs)
    timers.add(timer)
    return () => {
      clearInterval(timer)
      timers.delete(timer)
    }
  }

  const holdBack = (batch: PartitionBatch, error: unknown): void => {
    const { topic, partition } = batch
    const isNotDue = error instanceof NotDueError
    const count = isNotDue ? 0 : (failures.get(placeOf(batch)) ?? 0)
    const waitedMs = Math.round(backoffMs(count, heldBack))
    const milliseconds = isNotDue ? Math.min(error.dueInMs, heldBack.maxPauseMs) : waitedMs
    failures.set(placeOf(batch), isNotDue ? 0 : count + 1)
    if (isNotDue) {
      logger.warn({ topic, partition, milliseconds }, 'Record dated ahead of all clocks, waiting until it is due')
    } else {
      logger.warn({ topic, partition, milliseconds, err: error }, 'Could not process chunk, pausing partition')
    }
    onHeldBack(topic, partition)
    const resume = batch.pause()
    const timer = setTimeout(() => {
      timers.delete(timer)
      try {
        resume()
      } catch (failure) {
        // The member has ended; the next one starts without pauses.
        logger.debug({ topic, partition, err: failure }, 'Could not resume partition')
      }
    }, milliseconds)
    timers.add(timer)
  }

  return {
    async run(batch: PartitionBatch): Promise<void> {
      const { topic, partition, records } = batch
      for (const chunk of chunksOf(records, kindOf(topic))) {
        if (!batch.isRunning() || batch.isStale()) break
        const start = performance.now()
        const stopHeartbeats = startHeartbeats(batch)
        try {
          await deadlines.keep(`A chunk of ${topic}/${partition}`, limitMs, handle(chunk, kindOf(topic)))
        } catch (error) {
          if (!(error instanceof DeadlineExceeded)) return holdBack(batch, error)
          batch.pause()
          return onGivenUp(error)
        } finally {
          stopHeartbeats()
        }
        // The partition was lost meanwhile, and another member may have committed more.
        if (batch.isStale()) break
        const last = chunk.at(-1) as IncomingRecord
        const nextOffset = last === records.at(-1) ? batch.endOffset : offsetAfter(lastOffsetOf(last))
        batch.resolve(nextOffset)
        await commits.handled(batch, nextOffset, chunk.length)
        failures.delete(placeOf(batch))
        onChunk({ topic, partition, records: chunk.length, seconds: (performance.now() - start) / 1_000 })
        await within(limitMs, batch.heartbeat())
      }
      // A stopping member leaves the group next and could no longer commit.
      if (!batch.isRunning()) await commits.flush()
    },
    stop(): void {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}

/** A record that could not be read may represent a range. */
const lastOffsetOf = ({ offset, readFailure }: IncomingRecord) => readFailure?.lastOffset ?? offset
