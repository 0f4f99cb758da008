import { formatTimestamp } from '@herald/contracts'
import { type Input, int32 } from './bson.ts'
import { output } from './byte-writer.ts'

/** JSON as text. Free-form parts are stored as text, because BSON rejects, drops or reorders some of their keys. */
export type JsonText = string

const dash = 0x2d
const digitPairs = Uint16Array.from({ length: 256 }, (_, byte) =>
  Buffer.from(byte.toString(16).padStart(2, '0')).readUInt16LE(),
)
const fourDigits = (from: DataView, at: number) =>
  (digitPairs[from.getUint8(at)] as number) | ((digitPairs[from.getUint8(at + 1)] as number) << 16)

export function writeUuidText({ view: from }: Input, at: number): void {
  const to = output.view
  const next = output.length
  to.setInt32(next, fourDigits(from, at), true)
  to.setInt32(next + 4, fourDigits(from, at + 2), true)
  to.setUint8(next + 8, dash)
  to.setInt32(next + 9, fourDigits(from, at + 4), true)
  to.setUint8(next + 13, dash)
  to.setInt32(next + 14, fourDigits(from, at + 6), true)
  to.setUint8(next + 18, dash)
  to.setInt32(next + 19, fourDigits(from, at + 8), true)
  to.setUint8(next + 23, dash)
  to.setInt32(next + 24, fourDigits(from, at + 10), true)
  to.setInt32(next + 28, fourDigits(from, at + 12), true)
  to.setInt32(next + 32, fourDigits(from, at + 14), true)
  output.length = next + 36
}

/** From the start of a text value to its bytes. */
export const textAt = 4

/** The offset after a text, whose size precedes it and includes a terminating zero. */
export const endOfText = (bytes: Buffer, at: number) => at + int32(bytes, at - 4) - 1

/** From this size, a native call is faster than a loop. */
const nativeBytes = 256

export function copyText(input: Input, at: number): void {
  const { bytes, view: from } = input
  const end = endOfText(bytes, at)
  if (end - at >= nativeBytes) {
    output.length += bytes.copy(output.bytes, output.length, at, end)
    return
  }
  const to = output.view
  let next = output.length
  let i = at
  for (; i < end - 3; i += 4, next += 4) to.setInt32(next, from.getInt32(i, true), true)
  for (; i < end; i++) to.setUint8(next++, from.getUint8(i))
  output.length = next
}

const secondsPerDay = 24 * 60 * 60
/** Times in a response are often of the same day or second, so the text of the last one is kept. */
let lastSecond = Number.NaN
let lastDay = Number.NaN
const text = Buffer.alloc(20)
const textWords = new DataView(text.buffer, text.byteOffset, text.length)

/** Writes a time in the format of `formatTimestamp`, from its milliseconds as 64 bits. */
export function writeTimestamp({ view: from }: Input, at: number): void {
  const milliseconds = from.getInt32(at + 4, true) * 2 ** 32 + from.getUint32(at, true)
  const second = Math.floor(milliseconds / 1_000)
  if (second !== lastSecond) formatSecond(second)
  const to = output.view
  const next = output.length
  for (let i = 0; i < 20; i += 4) to.setInt32(next + i, textWords.getInt32(i, true), true)
  output.length = next + 20
}

function formatSecond(second: number): void {
  const day = Math.floor(second / secondsPerDay)
  if (day !== lastDay) text.write(formatTimestamp(new Date(second * 1_000)))
  const ofDay = second - day * secondsPerDay
  setTwoDigits(11, Math.floor(ofDay / 3_600))
  setTwoDigits(14, Math.floor(ofDay / 60) % 60)
  setTwoDigits(17, ofDay % 60)
  lastSecond = second
  lastDay = day
}

function setTwoDigits(at: number, value: number): void {
  text[at] = 0x30 + Math.floor(value / 10)
  text[at + 1] = 0x30 + (value % 10)
}
