import type { Logger } from '@herald/runtime'
import type { EachBatchHandler, EachBatchPayload, KafkaMessage } from 'kafkajs'
import type { TopicKind } from '../events/decide.ts'
import type { IncomingRecord } from '../events/incoming-record.ts'
import type { HandleRecords } from '../events/record-handler.ts'
import { type Backoff, createBackoff } from './backoff.ts'

export type BatchRunnerDependencies = {
  readonly handle: HandleRecords
  readonly kindOf: (topic: string) => TopicKind
  readonly logger: Logger
  /** Told of every chunk that is done and committed, and of every one that has to come again. */
  readonly onProgress?: () => void
  readonly onRetry?: (topic: string) => void
}

export type BatchRunner = { readonly eachBatch: EachBatchHandler; stop(): void }

const recordsPerChunk = 500

/**
 * Runs a batch in chunks: handle → resolve → commit → heartbeat. What fails before the commit has not happened: the
 * partition pauses, the batch is given back unresolved, and Kafka hands it out again. Nothing waits inside a batch, for
 * one that waits stops every partition of its broker. Errors of commit and heartbeat are kafkajs's own and pass through:
 * they tell it that the partition was taken away.
 */
export function createBatchRunner({
  handle,
  kindOf,
  logger,
  onProgress,
  onRetry,
}: BatchRunnerDependencies): BatchRunner {
  const backoffs = new Map<string, Backoff>()
  const timers = new Set<NodeJS.Timeout>()

  const holdBack = ({ batch: { topic, partition }, pause }: EachBatchPayload, error: unknown): void => {
    const place = `${topic}/${partition}`
    const backoff = backoffs.get(place) ?? createBackoff()
    backoffs.set(place, backoff)
    const milliseconds = backoff.next()
    logger.warn({ topic, partition, milliseconds, err: error }, 'Could not store or dead-letter, the partition pauses')
    onRetry?.(topic)
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
      const { batch, resolveOffset, commitOffsetsIfNecessary, uncommittedOffsets, heartbeat } = payload
      const { topic, partition, messages } = batch
      for (let start = 0; start < messages.length; start += recordsPerChunk) {
        if (!payload.isRunning() || payload.isStale()) return
        const chunk = messages.slice(start, start + recordsPerChunk)
        try {
          await handle(
            chunk.map((message) => toRecord(topic, partition, message)),
            kindOf(topic),
          )
        } catch (error) {
          return holdBack(payload, error)
        }
        resolveOffset((chunk.at(-1) as KafkaMessage).offset)
        await commitOffsetsIfNecessary(uncommittedOffsets())
        await heartbeat()
        backoffs.get(`${topic}/${partition}`)?.reset()
        onProgress?.()
      }
    },
    stop() {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}

function toRecord(topic: string, partition: number, message: KafkaMessage): IncomingRecord {
  const { offset, timestamp, key, value, headers } = message
  return { topic, partition, offset, timestamp, key, value, headers: headers ?? {} }
}
