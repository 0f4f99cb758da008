import type { KafkaMessage } from 'kafkajs'
import type { ReadFailure } from '../../port/incoming-record.ts'
import { ByteReader } from './byte-reader.ts'
import { fetchLimits } from './fetch-limits.ts'
import type { RecordBatch } from './record-batch.ts'

/** A record in kafkajs's form, with details if it could not be read. */
export type FetchedRecord = KafkaMessage & {
  /** kafkajs counts it as read but does not pass it to the handler. */
  readonly isControlRecord?: boolean
  readonly readFailure?: ReadFailure
  /** The first offset of a skipped range. The record's own offset is the last one, so that reading continues after it. */
  readonly firstOffset?: string
  /** The time of the broker that appended it, where the topic is set so. */
  readonly appendedAt?: number
}

/** A record, its approximate memory, and the bytes of its key, value and headers. */
export type CutRecord = { readonly record: FetchedRecord; readonly bytes: number; readonly contentBytes: number }

/** Bytes read of a record that is too large, for its offset and key. */
const frontBytes = 4 * 1024
const longestVarInt = 5

/** Splits the decompressed bytes of a batch, which arrive in pieces of any size, into records. */
export class RecordCutter {
  readonly #batch: RecordBatch
  #left: number
  #last: number
  /** Bytes of a skipped record that have yet to arrive. */
  #skipped = 0
  #parts: Buffer[] = []
  #gathered = 0
  #needed = longestVarInt

  constructor(batch: RecordBatch) {
    this.#batch = batch
    this.#left = batch.count
    this.#last = batch.firstOffset - 1
  }

  isDone(): boolean {
    return this.#left === 0
  }

  /** @throws RangeError when the bytes are not records of this batch */
  *push(piece: Buffer): Generator<CutRecord> {
    const dropped = Math.min(this.#skipped, piece.length)
    this.#skipped -= dropped
    // An empty view would keep its whole piece in memory.
    if (dropped === piece.length) return
    this.#parts.push(piece.subarray(dropped))
    this.#gathered += piece.length - dropped
    if (this.#gathered < this.#needed) return
    const reader = new ByteReader(this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts))
    while (this.#left > 0) {
      const cut = this.#cut(reader)
      if (cut === undefined) break
      yield cut
    }
    this.#gathered = reader.remaining()
    this.#parts = [reader.bytes.subarray(reader.at)]
  }

  #cut(reader: ByteReader): CutRecord | undefined {
    const start = reader.at
    this.#needed = longestVarInt
    if (reader.remaining() < this.#needed) return undefined
    const length = reader.varInt()
    const isTooLarge = length > fetchLimits.recordBytes
    const looked = isTooLarge ? frontBytes : length
    if (reader.remaining() < looked) {
      this.#needed = reader.at - start + looked
      reader.at = start
      return undefined
    }
    const front = new ByteReader(reader.slice(looked))
    const cut = isTooLarge ? readFront(front, length, this.#batch) : readRecord(front, this.#batch)
    const rest = length - looked
    this.#skipped = Math.max(0, rest - reader.remaining())
    reader.at += rest - this.#skipped
    this.#left--
    this.#checkOrder(Number(cut.record.offset))
    return cut
  }

  // An offset out of order could make the consumer read the same records forever.
  #checkOrder(offset: number): void {
    if (offset <= this.#last || offset > this.#batch.lastOffset) throw new RangeError('A record is out of order')
    this.#last = offset
  }
}

/** Reads the attributes of a record (unused), then timestamp and offset, which are relative to the batch. */
function readPlace(reader: ByteReader, { appendTimestamp, firstTimestamp, firstOffset }: RecordBatch) {
  const attributes = reader.int8()
  const timestamp = firstTimestamp + reader.varLong()
  const offset = String(firstOffset + reader.varInt())
  if (appendTimestamp === undefined) return { attributes, timestamp: String(timestamp), offset }
  return { attributes, timestamp: String(appendTimestamp), appendedAt: appendTimestamp, offset }
}

function readRecord(reader: ByteReader, batch: RecordBatch): CutRecord {
  const place = readPlace(reader, batch)
  const key = reader.varBytes()
  const value = reader.varBytes()
  const count = reader.varInt()
  const headers = readHeaders(reader, count)
  if (reader.remaining() > 0) throw new RangeError('A record does not have its declared length')
  const contentBytes = reader.at
  const bytes = contentBytes + fetchLimits.recordOverheadBytes + Math.max(0, count) * fetchLimits.headerOverheadBytes
  return { record: { ...place, key, value, headers }, bytes, contentBytes }
}

/** Collects repeated headers. kafkajs copies all headers for each one, and mistakes `constructor` for a header. */
function readHeaders(reader: ByteReader, count: number): NonNullable<KafkaMessage['headers']> {
  const headers: Record<string, Buffer | Buffer[] | undefined> = {}
  for (let left = count; left > 0; left--) {
    const name = (reader.varBytes() ?? '').toString()
    const value = reader.varBytes() as Buffer
    const known = Object.hasOwn(headers, name) ? headers[name] : undefined
    if (Array.isArray(known)) known.push(value)
    else if (Object.hasOwn(headers, name)) headers[name] = [known as Buffer, value]
    else if (name === '__proto__') Object.defineProperty(headers, name, { value, ...plainProperty })
    else headers[name] = value
  }
  return headers
}

const plainProperty = { configurable: true, enumerable: true, writable: true } as const

/** Reads the offset, a short key and the sizes of the parts of a record that is too large. */
function readFront(reader: ByteReader, length: number, batch: RecordBatch): CutRecord {
  const place = readPlace(reader, batch)
  const detail = `The record has ${length} bytes, more than the limit of ${fetchLimits.recordBytes}`
  const { key, omitted } = readSizes(reader, length)
  const readFailure: ReadFailure = { code: 'record_too_large', detail, omitted }
  const record = { ...place, key, value: null, headers: {}, readFailure }
  return { record, bytes: frontBytes + fetchLimits.recordOverheadBytes, contentBytes: key?.length ?? 0 }
}

function readSizes(reader: ByteReader, length: number): Pick<FetchedRecord, 'key'> & Pick<ReadFailure, 'omitted'> {
  const keyBytes = reader.varInt()
  if (keyBytes > reader.remaining() - longestVarInt) return { key: null, omitted: { key: keyBytes } }
  // Copied, so that the piece around it can be garbage-collected.
  const key = keyBytes < 0 ? null : Buffer.from(reader.slice(keyBytes))
  const value = Math.max(0, reader.varInt())
  return { key, omitted: { value, headers: length - reader.at - value } }
}
