import type { EachBatchHandler, EachBatchPayload, KafkaMessage } from 'kafkajs'

/** The dependencies of ingest's batch runner that its mutants use. */
export type RunnerDependencies = {
  handle(records: readonly object[], kind: string): Promise<void>
  kindOf(topic: string): string
}

export type Runner = {
  eachBatch: EachBatchHandler
  stop(): void
}

const recordsPerChunk = 200

export function* chunksIn({ batch }: EachBatchPayload): Generator<KafkaMessage[]> {
  const { messages } = batch
  for (let start = 0; start < messages.length; start += recordsPerChunk) {
    yield messages.slice(start, start + recordsPerChunk)
  }
}

export function handleChunk(dependencies: RunnerDependencies, { batch }: EachBatchPayload, chunk: KafkaMessage[]) {
  const { topic, partition } = batch
  const records = chunk.map(({ offset, timestamp, key, value, headers }) => ({
    ...{ topic, partition, offset, timestamp, key, value },
    headers: headers ?? {},
  }))
  return dependencies.handle(records, dependencies.kindOf(topic))
}

export const lastOffset = (chunk: readonly KafkaMessage[]) => (chunk.at(-1) as KafkaMessage).offset
