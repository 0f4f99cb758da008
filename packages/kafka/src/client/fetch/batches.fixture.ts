import { once } from 'node:events'
import zlib from 'node:zlib'
import type { RecordBatch } from './record-batch.ts'

type RecordParts = {
  readonly key?: string
  readonly value?: Buffer | string
  readonly headers?: readonly (readonly [string, string])[]
}

/** Encodes a signed varint (zigzag). */
function varInt(value: number): Buffer {
  const bytes: number[] = []
  let rest = value < 0 ? -value * 2 - 1 : value * 2
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80)
  return Buffer.from([...bytes, rest])
}

const withLength = (bytes: Buffer | string) => [varInt(Buffer.byteLength(bytes)), Buffer.from(bytes)]

/** Encodes the record with this index in its batch. */
export function encodeRecord(number: number, { key, value, headers = [] }: RecordParts): Buffer {
  const body = Buffer.concat([
    Buffer.from([0]),
    varInt(0),
    varInt(number),
    ...(key === undefined ? [varInt(-1)] : withLength(key)),
    ...(value === undefined ? [varInt(-1)] : withLength(value)),
    varInt(headers.length),
    ...headers.flatMap(([name, header]) => [...withLength(name), ...withLength(header)]),
  ])
  return Buffer.concat([varInt(body.length), body])
}

/** Encodes a record whose value is `zeros` zero bytes: the bytes before the value, its length, and the bytes after it. */
export function recordOfZeros(number: number, zeros: number): { before: Buffer; zeros: number; behind: Buffer } {
  const front = Buffer.concat([Buffer.from([0]), varInt(0), varInt(number), ...withLength('k'), varInt(zeros)])
  const behind = Buffer.concat([varInt(1), ...withLength('h'), ...withLength('v')])
  return { before: Buffer.concat([varInt(front.length + zeros + behind.length), front]), zeros, behind }
}

export type Piece = Buffer | { readonly zeros: number }

/** Compresses the pieces as a stream, so that they are never in memory together. */
export async function compressed(codec: 'gzip' | 'zstd', pieces: readonly Piece[]): Promise<Buffer> {
  const stream = codec === 'gzip' ? zlib.createGzip({ level: 9 }) : zlib.createZstdCompress()
  const made: Buffer[] = []
  stream.on('data', (bytes: Buffer) => made.push(bytes))
  const write = async (bytes: Buffer) => {
    if (!stream.write(bytes)) await once(stream, 'drain')
  }
  const megabyte = Buffer.alloc(1024 * 1024)
  for (const piece of pieces) {
    if (Buffer.isBuffer(piece)) await write(piece)
    else for (let left = piece.zeros; left > 0; left -= megabyte.length) await write(megabyte.subarray(0, left))
  }
  stream.end()
  await once(stream, 'end')
  return Buffer.concat(made)
}

/** A batch that starts at offset 100. */
export function batchOf(codec: number, records: Buffer, count: number, lastOffset = 100 + count - 1): RecordBatch {
  return {
    firstOffset: 100,
    lastOffset,
    isKnownFormat: true,
    codec,
    records,
    count,
    producerId: -1n,
    isControl: false,
    isTransactional: false,
    firstTimestamp: 1_000,
    appendTimestamp: undefined,
  }
}

const int16 = (value: number) => Buffer.from(Uint16Array.of(value).buffer).swap16()
const int32 = (value: number) => Buffer.from(Int32Array.of(value).buffer).swap32()
const int64 = (value: number | bigint) => Buffer.from(BigInt64Array.of(BigInt(value)).buffer).swap64()

export type EncodedBatch = {
  readonly firstOffset: number
  readonly count: number
  readonly records: Buffer
  readonly codec?: number
}

/** Encodes a record batch. Its checksum is 0, which the decoder does not check. */
export function encodeBatch({ firstOffset, count, records, codec = 0 }: EncodedBatch): Buffer {
  const head = [int32(0), Buffer.from([2]), int32(0), int16(codec), int32(count - 1), int64(1_000), int64(1_000)]
  const body = Buffer.concat([...head, int64(-1), int16(0), int32(-1), int32(count), records])
  return Buffer.concat([int64(firstOffset), int32(body.length), body])
}

/** Encodes a fetch response, version 11, with partitions 0, 1, … of one topic. */
export function encodeFetchResponse(topic: string, partitions: readonly Buffer[]): Buffer {
  const bytes = partitions.flatMap((batches, partition) => [
    ...[int32(partition), int16(0), int64(1_000_000), int64(1_000_000), int64(0), int32(0), int32(-1)],
    ...[int32(batches.length), batches],
  ])
  const name = Buffer.from(topic)
  const head = [int32(0), int16(0), int32(0), int32(1), int16(name.length), name, int32(partitions.length)]
  return Buffer.concat([...head, ...bytes])
}
