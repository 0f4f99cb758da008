import { Binary } from 'mongodb'

/**
 * Reads a document from the BSON that MongoDB sent, without intermediate objects of the driver: a page of notifications
 * takes a third of the time. The format: https://bsonspec.org/spec.html, version 1.1.
 */
export type DocumentReader<T> = (bytes: Buffer, target: T) => T

/** Reads the value at `at` into the target. The type of each field is fixed by the code that writes it. */
export type FieldReader<T> = (target: T, bytes: Buffer, at: number) => void

/** The same bytes; the driver returns BSON as `Uint8Array`. */
export const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Creates a reader of the given fields. It skips others, because a newer release may write more. */
export function createDocumentReader<T>(fields: Readonly<Record<string, FieldReader<T>>>): DocumentReader<T> {
  const byLength: { readonly name: Buffer; readonly read: FieldReader<T> }[][] = []
  for (const [name, read] of Object.entries(fields)) {
    byLength[name.length] ??= []
    byLength[name.length]?.push({ name: Buffer.from(name), read })
  }

  return (bytes, target) => {
    for (let at = 4; bytes[at] !== 0; ) {
      const type = bytes[at] as number
      const start = at + 1
      let end = start
      while (bytes[end] !== 0) end++
      const candidates = byLength[end - start]
      if (candidates !== undefined) {
        for (const { name, read } of candidates) {
          if (hasName(bytes, start, name)) {
            read(target, bytes, end + 1)
            break
          }
        }
      }
      at = end + 1 + sizeOf(type, bytes, end + 1)
    }
    return target
  }
}

function hasName(bytes: Buffer, start: number, name: Buffer): boolean {
  for (let i = 0; i < name.length; i++) if (bytes[start + i] !== name[i]) return false
  return true
}

export const int32 = (bytes: Buffer, at: number) =>
  (bytes[at] as number) |
  ((bytes[at + 1] as number) << 8) |
  ((bytes[at + 2] as number) << 16) |
  ((bytes[at + 3] as number) << 24)

/** The bytes of each document in an array that contains only documents. */
export function elementsOfArray(bytes: Buffer, at: number): Buffer[] {
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

/** The size of a value of this type in bytes. */
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

/** The offset of the bytes of a binary value. */
export function startOfBinary(at: number): number {
  return at + 5
}

export function readBinary(bytes: Buffer, at: number): Binary {
  const start = startOfBinary(at)
  return new Binary(Buffer.from(bytes.subarray(start, start + int32(bytes, at))))
}

const keyIn = createDocumentReader<{ key: Binary | undefined }>({
  _id: (target, bytes, at) => {
    target.key = readBinary(bytes, at)
  },
})

/** The key of a document whose `_id` is binary. */
export function readKey(bytes: Buffer): Binary {
  const { key } = keyIn(bytes, { key: undefined })
  if (key === undefined) throw new TypeError('The document has no key')
  return key
}
