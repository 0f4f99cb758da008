import { formatTimestamp } from '@herald/contracts'
import { int32 } from './bson.ts'
import { encode, output, writeBytes } from './byte-writer.ts'

const digits = encode('0123456789abcdef')

/** Writes a UUID as text, from its 16 bytes. */
export function writeUuid(bytes: Buffer, at: number): void {
  const to = output.bytes
  let next = output.length
  for (let i = 0; i < 16; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) to[next++] = 0x2d
    const byte = bytes[at + i] as number
    to[next++] = digits[byte >> 4] as number
    to[next++] = digits[byte & 15] as number
  }
  output.length = next
}

/** The offset after a text, whose size precedes it and includes a terminating zero. */
export const endOfText = (bytes: Buffer, at: number) => at + int32(bytes, at - 4) - 1

/** Copies a text that is JSON already, or contains nothing to escape. */
export function copyText(bytes: Buffer, at: number): void {
  output.length += bytes.copy(output.bytes, output.length, at, endOfText(bytes, at))
}

const dayMs = 24 * 60 * 60 * 1_000
/** The times on a page are often of the same day, so the text of the last day is kept. */
let lastDay = Number.NaN
const dayText = new Uint8Array(11)

/** Writes a time in the format of `formatTimestamp`, from its milliseconds as 64 bits. */
export function writeTimestamp(bytes: Buffer, at: number): void {
  const milliseconds = bytes.readInt32LE(at + 4) * 2 ** 32 + bytes.readUInt32LE(at)
  const day = Math.floor(milliseconds / dayMs)
  if (day !== lastDay) {
    dayText.set(encode(formatTimestamp(new Date(milliseconds)).slice(0, 11)))
    lastDay = day
  }
  const seconds = Math.floor((milliseconds - day * dayMs) / 1_000)
  writeBytes(dayText)
  writeTwoDigits(Math.floor(seconds / 3_600), 0x3a)
  writeTwoDigits(Math.floor(seconds / 60) % 60, 0x3a)
  writeTwoDigits(seconds % 60, 0x5a)
}

function writeTwoDigits(value: number, after: number): void {
  const to = output.bytes
  const next = output.length
  to[next] = 0x30 + Math.floor(value / 10)
  to[next + 1] = 0x30 + (value % 10)
  to[next + 2] = after
  output.length = next + 3
}
