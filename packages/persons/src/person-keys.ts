import { createHmac } from 'node:crypto'
import { bytesToUuid, uuidToBytes } from '@herald/contracts'
import { type KeyDocument, sharedKey, toKey } from '@herald/mongo'
import { Binary, type Collection } from 'mongodb'

type ToPseudonym = (personId: string) => string

export type PersonKeys = {
  of(subscriberId: string): Promise<ToPseudonym>
  /** Enciphers the id of a person for one erasure. The same again deciphers it. */
  seal(subscriberId: string, eventId: string, personId: Binary): Promise<Binary>
}

/** Keys are never returned to anyone and never change, so they are kept; of about 200 bytes each. */
const keptKeys = 10_000

export function createPersonKeys(collection: Collection<KeyDocument<Binary>>): PersonKeys {
  const kept = new Map<string, Buffer>()
  async function keyOf(subscriberId: string): Promise<Buffer> {
    const key = kept.get(subscriberId) ?? (await sharedKey(collection, toKey(subscriberId)))
    if (kept.size >= keptKeys) kept.clear()
    kept.set(subscriberId, key)
    return key
  }

  return {
    async of(subscriberId) {
      const key = await keyOf(subscriberId)
      return (personId) => toPseudonym(key, personId)
    },
    async seal(subscriberId, eventId, personId) {
      const key = await keyOf(subscriberId)
      const pad = createHmac('sha256', key).update('id').update(uuidToBytes(eventId)).digest()
      return new Binary(
        personId.buffer.map((byte, index) => byte ^ (pad[index] as number)),
        Binary.SUBTYPE_UUID,
      )
    },
  }
}

/** UUIDv8 (RFC 9562): the first 122 bits of HMAC-SHA256 over the 16 bytes of the id, under the subscriber's key. */
function toPseudonym(key: Buffer, personId: string): string {
  const bytes = createHmac('sha256', key).update(uuidToBytes(personId)).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytesToUuid(bytes, 0)
}
