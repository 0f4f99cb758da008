/** A record of ingest's Kafka port, as far as its mutants use it. */
type PortRecord = { readonly offset: string; readonly readFailure?: { readonly lastOffset?: string } }

type PortOffset = { readonly topic: string; readonly partition: number; readonly offset: string }

/** The records of a partition, as ingest's Kafka port passes them on. */
export type PortBatch = {
  readonly topic: string
  readonly partition: number
  readonly records: readonly PortRecord[]
  resolve(nextOffset: string): void
  heartbeat(): Promise<void>
  commit(offsets: readonly PortOffset[]): Promise<void>
}

/** The dependencies of ingest's batch runner that its mutants use. */
export type RunnerDependencies = {
  handle(records: readonly object[], kind: string): Promise<void>
  kindOf(topic: string): string
}

export type Runner = {
  run(batch: PortBatch): Promise<void>
  stop(): void
}

const recordsPerChunk = 200

export function* chunksIn({ records }: PortBatch): Generator<readonly PortRecord[]> {
  for (let start = 0; start < records.length; start += recordsPerChunk) {
    yield records.slice(start, start + recordsPerChunk)
  }
}

export function handleChunk(
  { handle, kindOf }: RunnerDependencies,
  { topic }: PortBatch,
  chunk: readonly PortRecord[],
) {
  return handle(chunk, kindOf(topic))
}

/** Resolves and commits the offset after a chunk. */
export async function commitThrough(batch: PortBatch, chunk: readonly PortRecord[]): Promise<void> {
  const { topic, partition } = batch
  const last = chunk.at(-1) as PortRecord
  const offset = String(BigInt(last.readFailure?.lastOffset ?? last.offset) + 1n)
  batch.resolve(offset)
  await batch.commit([{ topic, partition, offset }])
}
