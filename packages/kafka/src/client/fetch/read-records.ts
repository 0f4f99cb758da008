import { decompress } from './decompress.ts'
import { fetchLimits } from './fetch-limits.ts'
import type { RecordBatch } from './record-batch.ts'
import { type FetchedRecord, RecordCutter } from './record-cutter.ts'

export type RecordGroup = {
  readonly records: readonly FetchedRecord[]
  readonly bytes: number
  readonly contentBytes: number
  /** Bytes decompressed since the group before. */
  readonly readBytes: number
}

/** Groups are small, so that a fetch decodes little more than its share. */
const groupRecords = 50
const groupBytes = 64 * 1024
const groupSkipped = 1_000
const groupReadBytes = 4 * 1024 * 1024

/**
 * Reads the records of a batch from an offset on, lazily and in groups. A record that is too large, and the rest of a batch
 * that is damaged or too large, is yielded as a skipped record, so that every offset is accounted for.
 */
export async function* readRecords(
  batch: RecordBatch,
  fromOffset: number,
  maxBytes: number = fetchLimits.batchBytes,
): AsyncGenerator<RecordGroup> {
  let next = Math.max(batch.firstOffset, fromOffset)
  let records: FetchedRecord[] = []
  let skipped = 0
  let sums = { bytes: 0, contentBytes: 0, readBytes: 0 }
  const takeGroup = (): RecordGroup => {
    const group = { records, ...sums }
    next = Number(records.at(-1)?.offset ?? next - 1) + 1
    records = []
    sums = { bytes: 0, contentBytes: 0, readBytes: 0 }
    return group
  }
  try {
    for await (const { piece, cuts } of cutBatch(batch, maxBytes)) {
      sums.readBytes += piece.length
      for (const cut of cuts) {
        if (Number(cut.record.offset) < fromOffset) {
          if (++skipped % groupSkipped === 0) yield takeGroup()
          continue
        }
        records.push(cut.record)
        sums.bytes += cut.bytes
        sums.contentBytes += cut.contentBytes
        if (records.length >= groupRecords || sums.bytes >= groupBytes) yield takeGroup()
      }
      if (sums.readBytes >= groupReadBytes) yield takeGroup()
    }
  } catch (error) {
    if (isOutOfMemory(error)) throw error
    yield takeGroup()
    yield single(skipRest(batch, Math.min(next, batch.lastOffset), reasonOf(error)))
    return
  }
  yield takeGroup()
  // Compaction may have removed the last record; the placeholder makes the next fetch start after the batch.
  if (next <= batch.lastOffset) yield single(placeholder(batch))
}

const single = (record: FetchedRecord): RecordGroup => ({
  records: [record],
  bytes: fetchLimits.recordOverheadBytes,
  contentBytes: 0,
  readBytes: 0,
})

/** A record for the last offset of a batch that kafkajs counts as read but does not pass to the handler. */
export function placeholder({ lastOffset, firstTimestamp }: RecordBatch): FetchedRecord {
  return { ...emptyRecord(lastOffset, firstTimestamp), isControlRecord: true }
}

const emptyRecord = (offset: number, timestamp: number) => ({
  offset: String(offset),
  timestamp: String(timestamp),
  attributes: 0,
  key: null,
  value: null,
  headers: {},
})

function skipRest(batch: RecordBatch, first: number, reason: string): FetchedRecord {
  const lastOffset = String(batch.lastOffset)
  const detail = `The records from offset ${first} to ${lastOffset} cannot be read: ${reason}`
  const omitted = { key: 'unknown', value: 'unknown', headers: 'unknown' } as const
  return {
    ...emptyRecord(batch.lastOffset, batch.firstTimestamp),
    firstOffset: String(first),
    readFailure: { code: 'record_unreadable', detail, lastOffset, omitted },
  }
}

// Memory may be available later; every other error would occur again.
const isOutOfMemory = (error: unknown) => /MEM|ZSTD_error_memory/i.test(String((error as { code?: unknown }).code))

// The messages of codecs do not quote records; they are truncated nevertheless.
const reasonOf = (error: unknown) => String((error as { message?: unknown }).message).slice(0, 200)

async function* cutBatch(batch: RecordBatch, maxBytes: number) {
  if (!batch.isKnownFormat) throw new RangeError('The format is older than Kafka 0.11')
  const cutter = new RecordCutter(batch)
  let bytes = 0
  for await (const piece of decompress(batch.codec, batch.records)) {
    bytes += piece.length
    if (bytes > maxBytes) throw new RangeError(`The batch has more than ${maxBytes} bytes`)
    yield { piece, cuts: cutter.push(piece) }
    if (cutter.isDone()) return
  }
  throw new RangeError('The batch is truncated')
}
