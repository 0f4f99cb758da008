import type { KafkaMessage } from 'kafkajs'
import type { PassedOver } from '../../events/incoming-record.ts'
import { ByteReader } from './byte-reader.ts'
import { fetchLimits } from './fetch-limits.ts'
import type { RecordBatch } from './record-batch.ts'

/** A record as kafkajs hands it on; where it could not be read, what is known of it. */
export type FetchedRecord = KafkaMessage & {
  /** kafkajs counts it as read, and hands it to nobody. */
  readonly isControlRecord?: boolean
  readonly passedOver?: PassedOver
  /** Of several records that were passed over: the first offset. The record's own is the last, so that reading goes on. */
  readonly firstOffset?: string
}

/** A record, and what it takes in memory; about. */
export type CutRecord = { readonly record: FetchedRecord; readonly bytes: number }

/** So much of a record that is too large is looked at, for its place and its key. */
const frontBytes = 4 * 1024
const longestVarInt = 5

/** Cuts the decompressed bytes of a batch, which come in pieces of any size, into its records. */
export class RecordCutter {
  readonly #batch: RecordBatch
  #left: number
  #last: number
  /** Bytes yet to come that belong to a record that is passed over. */
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
    // An empty part would keep its whole piece in memory.
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

  // A record out of place could lead a consumer back to where it was.
  #checkOrder(offset: number): void {
    if (offset <= this.#last || offset > this.#batch.lastOffset) throw new RangeError('A record is not in its place')
    this.#last = offset
  }
}

/** The attributes of a record, which nobody uses, then its time and its offset, as differences from the batch's. */
function readPlace(reader: ByteReader, { appendTimestamp, firstTimestamp, firstOffset }: RecordBatch) {
  const attributes = reader.int8()
  const timestamp = firstTimestamp + reader.varLong()
  const offset = String(firstOffset + reader.varInt())
  return { attributes, timestamp: String(appendTimestamp ?? timestamp), offset }
}

function readRecord(reader: ByteReader, batch: RecordBatch): CutRecord {
  const place = readPlace(reader, batch)
  const key = reader.varBytes()
  const value = reader.varBytes()
  const count = reader.varInt()
  const headers = readHeaders(reader, count)
  if (reader.remaining() > 0) throw new RangeError('A record has another length than it says')
  const bytes = reader.at + fetchLimits.recordOverheadBytes + Math.max(0, count) * fetchLimits.headerOverheadBytes
  return { record: { ...place, key, value, headers }, bytes }
}

/**
 * Those of one name become an array. The library copies all headers for each, and takes what every object inherits under a
 * name such as `constructor` for a header.
 */
function readHeaders(reader: ByteReader, count: number): NonNullable<KafkaMessage['headers']> {
  const headers: Record<string, Buffer | Buffer[] | undefined> = {}
  for (let left = count; left > 0; left--) {
    const name = (reader.varBytes() ?? '').toString()
    const value = reader.varBytes() as Buffer
    const known = Object.hasOwn(headers, name) ? headers[name] : undefined
    if (Array.isArray(known)) known.push(value)
    else if (Object.hasOwn(headers, name)) headers[name] = [known as Buffer, value]
    else if (name === '__proto__') Object.defineProperty(headers, name, { value, ...asUsual })
    else headers[name] = value
  }
  return headers
}

const asUsual = { configurable: true, enumerable: true, writable: true } as const

/** Of a record that is too large: where it is, its key where that is short, and how large its parts are. */
function readFront(reader: ByteReader, length: number, batch: RecordBatch): CutRecord {
  const place = readPlace(reader, batch)
  const detail = `The record has ${length} bytes, ${fetchLimits.recordBytes} are read at the most`
  const { key, omitted } = readSizes(reader, length)
  const passedOver: PassedOver = { code: 'record_too_large', detail, omitted }
  const record = { ...place, key, value: null, headers: {}, passedOver }
  return { record, bytes: frontBytes + fetchLimits.recordOverheadBytes }
}

function readSizes(reader: ByteReader, length: number): Pick<FetchedRecord, 'key'> & Pick<PassedOver, 'omitted'> {
  const keyBytes = reader.varInt()
  if (keyBytes > reader.remaining() - longestVarInt) return { key: null, omitted: { key: keyBytes } }
  // Copied, for all that it lies in is to be let go.
  const key = keyBytes < 0 ? null : Buffer.from(reader.slice(keyBytes))
  const value = Math.max(0, reader.varInt())
  return { key, omitted: { value, headers: length - reader.at - value } }
}
