import type { RecordHeaders } from '@herald/contracts'
import type { Logger } from '@herald/runtime'
import type { EachBatchHandler, EachBatchPayload, KafkaMessage } from 'kafkajs'
import type { IncomingRecord } from '../events/incoming-record.ts'
import type { HandleRecords } from '../events/record-handler.ts'
import type { RecordKind } from '../events/record-kind.ts'
import type { FetchedRecord } from '../kafka/fetch/record-cutter.ts'
import { type Backoff, createBackoff } from './backoff.ts'
import { chunksOf } from './chunks.ts'
import { startHeartbeats } from './heartbeats.ts'
import { type OffsetCommits, offsetBehind } from './offset-commits.ts'

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

export type BatchRunner = { readonly eachBatch: EachBatchHandler; stop(): void }

/**
 * Processes a batch in chunks: handle → resolve → commit → heartbeat. If handling fails, the partition is paused and the
 * rest of the batch is left unresolved, so that Kafka redelivers it. The handler never waits for a retry, because that
 * would stop all partitions of the broker. Errors of commit and heartbeat are passed on to kafkajs, which learns from
 * them that the partition was revoked.
 */
export function createBatchRunner(dependencies: BatchRunnerDependencies): BatchRunner {
  const { handle, kindOf, commits, logger, onChunk, onHeldBack } = dependencies
  const backoffs = new Map<string, Backoff>()
  const timers = new Set<NodeJS.Timeout>()

  const holdBack = ({ batch: { topic, partition }, pause }: EachBatchPayload, error: unknown): void => {
    const place = `${topic}/${partition}`
    const backoff = backoffs.get(place) ?? createBackoff()
    backoffs.set(place, backoff)
    const milliseconds = Math.round(backoff.next())
    logger.warn({ topic, partition, milliseconds, err: error }, 'Could not process chunk, pausing partition')
    onHeldBack(topic, partition)
    const resume = pause()
    const timer = setTimeout(() => {
      timers.delete(timer)
      try {
        resume()
      } catch (failure) {
        // The consumer has stopped; the next one starts without pauses.
        logger.debug({ topic, partition, err: failure }, 'Could not resume partition')
      }
    }, milliseconds)
    timers.add(timer)
  }

  return {
    async eachBatch(payload) {
      const { batch, resolveOffset, heartbeat } = payload
      const { topic, partition, messages } = batch
      for (const chunk of chunksOf(messages, kindOf(topic))) {
        if (!payload.isRunning() || payload.isStale()) break
        const start = performance.now()
        const stopHeartbeats = startHeartbeats(heartbeat)
        try {
          await handle(
            chunk.map((message) => toRecord(topic, partition, message)),
            kindOf(topic),
          )
        } catch (error) {
          return holdBack(payload, error)
        } finally {
          stopHeartbeats()
        }
        const last = chunk.at(-1) as KafkaMessage
        resolveOffset(last.offset)
        // A batch may end after its last record: with a transaction marker, or with records removed by compaction.
        const end = last === messages.at(-1) ? batch.lastOffset() : last.offset
        await commits.handled(payload, offsetBehind(end))
        backoffs.get(`${topic}/${partition}`)?.reset()
        onChunk({ topic, partition, records: chunk.length, seconds: (performance.now() - start) / 1_000 })
        await heartbeat()
      }
      // A stopping consumer leaves the group next and could no longer commit.
      if (!payload.isRunning()) await commits.flush()
    },
    stop() {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}

function toRecord(topic: string, partition: number, message: FetchedRecord): IncomingRecord {
  const { offset, timestamp, key, value, headers, passedOver, firstOffset } = message
  const record = { topic, partition, offset, timestamp, key, value, headers: (headers ?? {}) as RecordHeaders }
  return passedOver === undefined ? record : { ...record, offset: firstOffset ?? offset, passedOver }
}
