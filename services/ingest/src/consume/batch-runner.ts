import { backoffMs, type Logger } from '@herald/runtime'
import type { IncomingRecord } from '../events/incoming-record.ts'
import type { HandleRecords } from '../events/record-handler.ts'
import type { RecordKind } from '../events/record-kind.ts'
import { chunksOf } from './chunks.ts'
import { startHeartbeats } from './heartbeats.ts'
import type { PartitionBatch } from './kafka-port.ts'
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
  /** Called for each chunk that was handled. */
  readonly onChunk: (chunk: Chunk) => void
  /** Called for each chunk that has to be retried. */
  readonly onHeldBack: (topic: string, partition: number) => void
}

export type BatchRunner = { run(batch: PartitionBatch): Promise<void>; stop(): void }

const pauses = { minPauseMs: 100, maxPauseMs: 5_000 } as const
const placeOf = ({ topic, partition }: PartitionBatch) => `${topic}/${partition}`

/**
 * Processes a batch in chunks: handle → resolve → commit → heartbeat. If handling fails, the partition is paused and the
 * rest of the batch is left unresolved, so that it is read again. The runner never waits for a retry, because that would
 * stop all partitions of the broker. Errors of commit and heartbeat are passed on to the member, which learns from them
 * that the partition was revoked.
 */
export function createBatchRunner(dependencies: BatchRunnerDependencies): BatchRunner {
  const { handle, kindOf, commits, logger, onChunk, onHeldBack } = dependencies
  /** Consecutive failures by partition. */
  const failures = new Map<string, number>()
  const timers = new Set<NodeJS.Timeout>()

  const holdBack = (batch: PartitionBatch, error: unknown): void => {
    const { topic, partition } = batch
    const count = failures.get(placeOf(batch)) ?? 0
    failures.set(placeOf(batch), count + 1)
    const milliseconds = Math.round(backoffMs(count, pauses))
    logger.warn({ topic, partition, milliseconds, err: error }, 'Could not process chunk, pausing partition')
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
    async run(batch) {
      const { topic, partition, records } = batch
      for (const chunk of chunksOf(records, kindOf(topic))) {
        if (!batch.isRunning() || batch.isStale()) break
        const start = performance.now()
        const stopHeartbeats = startHeartbeats(batch.heartbeat)
        try {
          await handle(chunk, kindOf(topic))
        } catch (error) {
          return holdBack(batch, error)
        } finally {
          stopHeartbeats()
        }
        const last = chunk.at(-1) as IncomingRecord
        const nextOffset = last === records.at(-1) ? batch.endOffset : offsetAfter(lastOffsetOf(last))
        batch.resolve(nextOffset)
        await commits.handled(batch, nextOffset)
        failures.delete(placeOf(batch))
        onChunk({ topic, partition, records: chunk.length, seconds: (performance.now() - start) / 1_000 })
        await batch.heartbeat()
      }
      // A stopping member leaves the group next and could no longer commit.
      if (!batch.isRunning()) await commits.flush()
    },
    stop() {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}

/** A record that could not be read may represent a range. */
const lastOffsetOf = ({ offset, readFailure }: IncomingRecord) => readFailure?.lastOffset ?? offset
