import { decompress } from './decompress.ts'
import { fetchLimits } from './fetch-limits.ts'
import type { RecordBatch } from './record-batch.ts'
import { type FetchedRecord, RecordCutter } from './record-cutter.ts'

/** Records that follow each other; there may be none yet. */
export type RecordGroup = {
  readonly records: readonly FetchedRecord[]
  /** What they take in memory; about. */
  readonly bytes: number
  /** What was decompressed to come so far, since the group before. */
  readonly readBytes: number
}

const groupBytes = 256 * 1024
const groupReadBytes = 4 * 1024 * 1024

/**
 * The records of a batch from an offset on, in groups, none decompressed before it is asked for. One that is too large is
 * passed over; so is the rest of a batch that is damaged, or larger than a batch may be, as a whole. Nothing is left out.
 */
export async function* readRecords(
  batch: RecordBatch,
  fromOffset: number,
  mostBytes: number = fetchLimits.batchBytes,
): AsyncGenerator<RecordGroup> {
  let next = Math.max(batch.firstOffset, fromOffset)
  let records: FetchedRecord[] = []
  let bytes = 0
  let readBytes = 0
  const takeGroup = (): RecordGroup => {
    const group = { records, bytes, readBytes }
    next = Number(records.at(-1)?.offset ?? next - 1) + 1
    records = []
    bytes = 0
    readBytes = 0
    return group
  }
  try {
    for await (const { piece, cuts } of cutBatch(batch, mostBytes)) {
      readBytes += piece.length
      for (const cut of cuts) {
        if (Number(cut.record.offset) < fromOffset) continue
        records.push(cut.record)
        bytes += cut.bytes
        if (bytes >= groupBytes) yield takeGroup()
      }
      if (readBytes >= groupReadBytes) yield takeGroup()
    }
  } catch (error) {
    if (isOfMemory(error)) throw error
    yield takeGroup()
    yield single(passOverRest(batch, Math.min(next, batch.lastOffset), reasonOf(error)))
    return
  }
  yield takeGroup()
  // Compaction may have left nothing at the last offset: the next fetch begins behind it.
  if (next <= batch.lastOffset) yield single(placeholder(batch))
}

const single = (record: FetchedRecord): RecordGroup => ({
  ...{ records: [record], bytes: fetchLimits.recordOverheadBytes, readBytes: 0 },
})

/** A record that kafkajs counts as read and hands to nobody, in place of a whole batch or of its end. */
export function placeholder({ lastOffset, firstTimestamp }: RecordBatch): FetchedRecord {
  return { ...emptyRecord(lastOffset, firstTimestamp), isControlRecord: true }
}

const emptyRecord = (offset: number, timestamp: number) => ({
  ...{ offset: String(offset), timestamp: String(timestamp), attributes: 0, key: null, value: null, headers: {} },
})

function passOverRest(batch: RecordBatch, first: number, reason: string): FetchedRecord {
  const lastOffset = String(batch.lastOffset)
  const detail = `The records from offset ${first} to ${lastOffset} cannot be read: ${reason}`
  const omitted = { key: 'unknown', value: 'unknown', headers: 'unknown' } as const
  return {
    ...emptyRecord(batch.lastOffset, batch.firstTimestamp),
    firstOffset: String(first),
    passedOver: { code: 'record_unreadable', detail, lastOffset, omitted },
  }
}

// Memory that is short now may be there later; all else would fail again.
const isOfMemory = (error: unknown) => /MEM|ZSTD_error_memory/i.test(String((error as { code?: unknown }).code))

// Codecs quote nothing of a record; still their words are cut.
const reasonOf = (error: unknown) => String((error as { message?: unknown }).message).slice(0, 200)

/** The records of each piece that a batch is decompressed to. */
async function* cutBatch(batch: RecordBatch, mostBytes: number) {
  if (!batch.isKnownFormat) throw new RangeError('The format is that of before Kafka 0.11')
  const cutter = new RecordCutter(batch)
  let bytes = 0
  for await (const piece of decompress(batch.codec, batch.records)) {
    bytes += piece.length
    if (bytes > mostBytes) throw new RangeError(`The batch has more than ${mostBytes} bytes`)
    yield { piece, cuts: cutter.push(piece) }
    if (cutter.isDone()) return
  }
  throw new RangeError('The batch is cut short')
}
