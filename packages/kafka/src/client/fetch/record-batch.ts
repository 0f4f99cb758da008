import { ByteReader } from './byte-reader.ts'

/** A record batch: https://kafka.apache.org/documentation/#recordbatch. */
export type RecordBatch = {
  readonly firstOffset: number
  /** The last offset of the batch, even if compaction has removed that record. */
  readonly lastOffset: number
  readonly isKnownFormat: boolean
  readonly codec: number
  readonly isControl: boolean
  readonly isTransactional: boolean
  readonly producerId: bigint
  readonly firstTimestamp: number
  /** The broker's time for all records, if the topic uses `LogAppendTime`. */
  readonly appendTimestamp: number | undefined
  readonly count: number
  readonly records: Buffer
}

const headBytes = 12
const format = 2

/** Yields the batches of a partition, without a last one truncated by the size of the fetch. */
export function* readBatches(bytes: Buffer): Generator<RecordBatch> {
  const reader = new ByteReader(bytes)
  while (reader.remaining() >= headBytes) {
    const firstOffset = Number(reader.int64())
    const length = reader.int32()
    if (length > reader.remaining()) return
    yield readBatch(firstOffset, reader.slice(length))
  }
}

function readBatch(firstOffset: number, bytes: Buffer): RecordBatch {
  const reader = new ByteReader(bytes)
  reader.int32() // the leader's epoch, or a checksum
  if (reader.int8() !== format) return ofOldFormat(firstOffset)
  reader.int32() // the checksum
  const attributes = reader.int16()
  const lastOffset = firstOffset + reader.int32()
  const firstTimestamp = Number(reader.int64())
  const maxTimestamp = Number(reader.int64())
  const producerId = reader.int64()
  reader.int16() // the producer's epoch
  reader.int32() // the first sequence
  const count = reader.int32()
  return {
    firstOffset,
    lastOffset,
    isKnownFormat: true,
    count,
    producerId,
    firstTimestamp,
    codec: attributes & 7,
    appendTimestamp: (attributes & 8) === 0 ? undefined : maxTimestamp,
    isTransactional: (attributes & 16) !== 0,
    isControl: (attributes & 32) !== 0,
    records: reader.slice(reader.remaining()),
  }
}

/** A format before Kafka 0.11 has no headers and so no CloudEvents. The offset is that of its last record. */
function ofOldFormat(offset: number): RecordBatch {
  return {
    firstOffset: offset,
    lastOffset: offset,
    isKnownFormat: false,
    count: 1,
    producerId: -1n,
    firstTimestamp: 0,
    codec: 0,
    appendTimestamp: undefined,
    isTransactional: false,
    isControl: false,
    records: Buffer.alloc(0),
  }
}
