import { uuidToBytes, writeUuid } from '@herald/contracts'
import { Binary } from 'mongodb'

/** A UUID as MongoDB's tools know it: BSON binary of subtype 4. */
export function toUuidBinary(uuid: string): Binary {
  return new Binary(uuidToBytes(uuid), Binary.SUBTYPE_UUID)
}

/** Several UUIDs behind one another, as one key that sorts by the first, then the second, and so on. */
export function toKey(...uuids: readonly string[]): Binary {
  const bytes = Buffer.allocUnsafe(uuids.length * 16)
  uuids.forEach((uuid, index) => {
    writeUuid(bytes, uuid, index * 16)
  })
  return new Binary(bytes)
}
