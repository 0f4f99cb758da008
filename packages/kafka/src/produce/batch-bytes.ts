import type { RecordHeaders } from '@herald/contracts'
import type { OutgoingRecord } from '../port/kafka-port.ts'

/** The bytes of names and values, and `each` more for one header. */
export function headerBytesOf(headers: RecordHeaders, each: number): number {
  let bytes = 0
  for (const name in headers) {
    const value = headers[name]
    for (const one of Array.isArray(value) ? value : [value]) {
      bytes += Buffer.byteLength(name) + Buffer.byteLength(one ?? '') + each
    }
  }
  return bytes
}

const batchHeadBytes = 61
const longestVarInt = 5
/** Lengths of the record, its key and its value, the number of headers, offset and time. */
const recordHeadBytes = 7 * longestVarInt + 6

/** An upper bound of the bytes of an uncompressed batch that contains only this record. */
export function batchBytesOf({ key, value, headers }: OutgoingRecord): number {
  const ofHeaders = headerBytesOf(headers, 2 * longestVarInt)
  return batchHeadBytes + recordHeadBytes + (key?.length ?? 0) + (value?.length ?? 0) + ofHeaders
}
