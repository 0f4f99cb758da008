import type { RecordHeaders } from '@herald/contracts'
import type { EachBatchPayload, TopicOffsets } from 'kafkajs'
import type { IncomingRecord } from '../port/incoming-record.ts'
import type { PartitionBatch, PartitionOffset } from '../port/kafka-port.ts'
import type { FetchedRecord } from './fetch/record-cutter.ts'

export function toPartitionBatch(payload: EachBatchPayload, isLost: () => boolean): PartitionBatch {
  const { batch, resolveOffset, commitOffsetsIfNecessary } = payload
  const { topic, partition, messages } = batch
  return {
    topic,
    partition,
    records: messages.map((message) => toRecord(topic, partition, message)),
    endOffset: String(BigInt(batch.lastOffset()) + 1n),
    isRunning: payload.isRunning,
    isStale: () => payload.isStale() || isLost(),
    resolve: (nextOffset) => resolveOffset(String(BigInt(nextOffset) - 1n)),
    heartbeat: payload.heartbeat,
    // `consumer.commitOffsets` would skip it silently while the consumer stops.
    commit: (offsets) => commitOffsetsIfNecessary({ topics: byTopic(offsets) }),
    pause: payload.pause,
  }
}

export function toRecord(topic: string, partition: number, message: FetchedRecord): IncomingRecord {
  const { offset, timestamp, appendedAt, key, value, readFailure, firstOffset } = message
  const headers = (message.headers ?? {}) as RecordHeaders
  const record = { topic, partition, offset, timestamp, appendedAt, key, value, headers }
  return readFailure === undefined ? record : { ...record, offset: firstOffset ?? offset, readFailure }
}

function byTopic(offsets: readonly PartitionOffset[]): TopicOffsets[] {
  return [...Map.groupBy(offsets, ({ topic }) => topic)].map(([topic, partitions]) => ({
    topic,
    partitions: partitions.map(({ topic: _, ...offset }) => offset),
  }))
}
