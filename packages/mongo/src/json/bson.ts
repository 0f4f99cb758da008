import { Binary } from 'mongodb'

/** Views the bytes as a buffer; the driver returns BSON as `Uint8Array`. */
export const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

export const int32 = (bytes: Buffer, at: number) =>
  (bytes[at] as number) |
  ((bytes[at + 1] as number) << 8) |
  ((bytes[at + 2] as number) << 16) |
  ((bytes[at + 3] as number) << 24)

/** The bytes of a response of MongoDB, and a view of them that reads four at a time. */
export type Input = { readonly bytes: Buffer; readonly view: DataView }

/** The whole buffer of which `bytes` is a part. */
export function inputOf({ buffer }: Buffer): Input {
  return { bytes: Buffer.from(buffer), view: new DataView(buffer) }
}

export function documentsAt(bytes: Buffer, at: number): Buffer[] {
  const documents: Buffer[] = []
  for (let element = at + 4; bytes[element] !== 0; ) {
    let start = element + 2
    while (bytes[start - 1] !== 0) start++
    const end = start + int32(bytes, start)
    documents.push(bytes.subarray(start, end))
    element = end
  }
  return documents
}

export function sizeOf(type: number, bytes: Buffer, at: number): number {
  switch (type) {
    case 0x02: // string
    case 0x0d: // code
    case 0x0e: // symbol
      return 4 + int32(bytes, at)
    case 0x05: // binary
      return 5 + int32(bytes, at)
    case 0x01: // double
    case 0x09: // date
    case 0x11: // timestamp
    case 0x12: // 64-bit integer
      return 8
    case 0x08: // boolean
      return 1
    case 0x10: // 32-bit integer
      return 4
    case 0x03: // document
    case 0x04: // array
    case 0x0f: // code with scope
      return int32(bytes, at)
    case 0x07: // ObjectId
      return 12
    case 0x13: // decimal
      return 16
    case 0x06: // undefined
    case 0x0a: // null
    case 0x7f: // max key
    case 0xff: // min key
      return 0
    case 0x0c: // pointer
      return 4 + int32(bytes, at) + 12
    case 0x0b: // regular expression: two zero-terminated texts
      return bytes.indexOf(0, bytes.indexOf(0, at) + 1) + 1 - at
    default:
      throw new TypeError(`Unknown BSON type ${type}`)
  }
}

/** From the start of a binary value to its bytes: their number and the subtype. */
export const binaryHeader = 5

/** The bytes of a binary value that is the first field of a document. */
export function firstBinary(document: Buffer, field: string): Buffer {
  const at = 4 + 1 + field.length + 1
  if (document.toString('latin1', 4, at) !== `\x05${field}\0`) throw new TypeError(`The document has no ${field}`)
  return document.subarray(at + binaryHeader, at + binaryHeader + int32(document, at))
}

/** The key of a stored document, in which MongoDB keeps it first. Copied, so that it does not retain the document. */
export const readKey = (document: Buffer) => new Binary(Buffer.from(firstBinary(document, '_id')))
