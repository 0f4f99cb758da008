import { bytesToUuid, uuidToBytes, writeUuid } from '@herald/contracts'
import { Binary } from 'mongodb'

/** Encodes a UUID as BSON binary of subtype 4, which MongoDB's tools display as a UUID. */
export function toUuidBinary(uuid: string): Binary {
  return new Binary(uuidToBytes(uuid), Binary.SUBTYPE_UUID)
}

/** Concatenates UUIDs into one key that sorts by the first, then the second, and so on. */
export function toKey(...uuids: readonly string[]): Binary {
  const bytes = Buffer.allocUnsafe(uuids.length * 16)
  uuids.forEach((uuid, index) => {
    writeUuid(bytes, uuid, index * 16)
  })
  return new Binary(bytes)
}

/** The UUID in a binary value, or one of several in a key. */
export function uuidIn({ buffer }: Binary, index = 0): string {
  return bytesToUuid(buffer, 16 * index)
}
