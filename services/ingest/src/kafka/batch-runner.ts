import type { RecordHeaders, TopicKind } from '@herald/contracts'
import type { Logger } from '@herald/runtime'
import type { EachBatchHandler, EachBatchPayload, KafkaMessage } from 'kafkajs'
import type { IncomingRecord } from '../events/incoming-record.ts'
import type { HandleRecords } from '../events/record-handler.ts'
import { type Backoff, createBackoff } from './backoff.ts'
import { chunksOf } from './chunks.ts'
import type { FetchedRecord } from './fetch/record-cutter.ts'
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
  readonly kindOf: (topic: string) => TopicKind
  readonly commits: Pick<OffsetCommits, 'handled' | 'flush'>
  readonly logger: Logger
  /** Told of every chunk that stands. */
  readonly onChunk: (chunk: Chunk) => void
  /** Told of every chunk that has to come again. */
  readonly onHeldBack: (topic: string, partition: number) => void
}

export type BatchRunner = { readonly eachBatch: EachBatchHandler; stop(): void }

/**
 * Runs a batch in chunks: handle → resolve → commit → heartbeat. What fails in the handling has not happened: the partition
 * pauses, the batch is given back unresolved, and Kafka hands it out again. Nothing waits inside a batch, for one that
 * waits stops every partition of its broker. Errors of commit and heartbeat are kafkajs's own and pass through: they tell
 * it that the partition was taken away.
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
    logger.warn({ topic, partition, milliseconds, err: error }, 'Could not store or dead-letter, the partition pauses')
    onHeldBack(topic, partition)
    const resume = pause()
    const timer = setTimeout(() => {
      timers.delete(timer)
      try {
        resume()
      } catch (failure) {
        // The consumer is gone; its successor knows of no pause.
        logger.debug({ topic, partition, err: failure }, 'Nothing to resume')
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
        // The batch may go on behind its last record: with the marker of a transaction, or what compaction took.
        const end = last === messages.at(-1) ? batch.lastOffset() : last.offset
        await commits.handled(payload, offsetBehind(end))
        backoffs.get(`${topic}/${partition}`)?.reset()
        onChunk({ topic, partition, records: chunk.length, seconds: (performance.now() - start) / 1_000 })
        await heartbeat()
      }
      // Who stops leaves the group next, and could commit nothing any more.
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
