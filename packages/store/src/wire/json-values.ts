import { encode, output, writeBytes } from './byte-writer.ts'
import { endOfText, writeTimestamp } from './values.ts'

const quote = 0x22
const backslash = 0x5c
const nullBytes = encode('null')

/** Writes a text as a JSON string. */
export function writeJsonText(bytes: Buffer, at: number): void {
  const end = endOfText(bytes, at)
  const to = output.bytes
  let next = output.length
  to[next++] = quote
  for (let i = at; i < end; i++) {
    const byte = bytes[i] as number
    if (byte < 0x20 || byte === quote || byte === backslash) {
      output.length += to.write(JSON.stringify(bytes.toString('utf8', at, end)), output.length)
      return
    }
    to[next++] = byte
  }
  to[next++] = quote
  output.length = next
}

/** Writes a time as JSON, `null` if it is absent. */
export function writeJsonTime(bytes: Buffer, at: number): void {
  if (at === 0) {
    writeBytes(nullBytes)
    return
  }
  output.bytes[output.length++] = quote
  writeTimestamp(bytes, at)
  output.bytes[output.length++] = quote
}
