import type { OutgoingRecord } from '../port/kafka-port.ts'

type Content = Buffer | string | null | undefined

export type RecordInBatch = {
  readonly offsetDelta?: number
  readonly timestampDelta?: number
  readonly key?: Content
  readonly value?: Content
  readonly headers?: OutgoingRecord['headers']
}

/** The fields that kafkajs takes from one of its encoders. */
type Encoded = { readonly buf: Buffer; readonly buffer: Buffer }

/**
 * Encodes a record of a batch (magic 2) into one buffer of its size. kafkajs's own encoder creates about three buffers for
 * each number and header: 10,000 headers keep it busy for 60 to 110 ms, and this one for a quarter of that.
 */
export function encodeRecord({ offsetDelta = 0, timestampDelta = 0, key, value, headers }: RecordInBatch): Encoded {
  const contents: Content[] = []
  for (const name in headers) {
    const header = headers[name]
    for (const one of Array.isArray(header) ? header : [header]) contents.push(name, one)
  }
  const count = contents.length / 2
  const fixed = 1 + sizeOfVarInt(timestampDelta) + sizeOfVarInt(offsetDelta) + sizeOf(key) + sizeOf(value)
  const size = contents.reduce((sum, content) => sum + sizeOf(content), fixed + sizeOfVarInt(count))

  const buf = Buffer.allocUnsafe(sizeOfVarInt(size) + size)
  const attributesAt = writeVarInt(buf, 0, size)
  buf[attributesAt] = 0
  let at = writeVarInt(buf, attributesAt + 1, timestampDelta)
  at = writeVarInt(buf, at, offsetDelta)
  at = write(buf, write(buf, at, key), value)
  at = writeVarInt(buf, at, count)
  for (const content of contents) at = write(buf, at, content)
  return { buf, buffer: buf }
}

const lengthOf = (content: Content) => (content == null ? -1 : Buffer.byteLength(content))
const sizeOf = (content: Content) => sizeOfVarInt(lengthOf(content)) + Math.max(0, lengthOf(content))

function write(buffer: Buffer, at: number, content: Content): number {
  const contentAt = writeVarInt(buffer, at, lengthOf(content))
  if (content == null) return contentAt
  return contentAt + (typeof content === 'string' ? buffer.write(content, contentAt) : content.copy(buffer, contentAt))
}

/** Signed numbers as the protocol has them: the smallest in one byte, of either sign. A time may have more than 32 bits. */
const zigzag = (value: number) => (value < 0 ? -2 * value - 1 : 2 * value)

function sizeOfVarInt(value: number): number {
  let size = 1
  for (let rest = zigzag(value); rest > 0x7f; rest = Math.floor(rest / 128)) size++
  return size
}

function writeVarInt(buffer: Buffer, at: number, value: number): number {
  let end = at
  let rest = zigzag(value)
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) buffer[end++] = (rest % 128) | 0x80
  buffer[end] = rest
  return end + 1
}
