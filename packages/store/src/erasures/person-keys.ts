import { createHmac, randomBytes } from 'node:crypto'
import { bytesToUuid, uuidToBytes } from '@herald/contracts'
import { Binary, type Collection } from 'mongodb'
import { toKey } from '../binary.ts'
import { readLimits } from '../reading/read-limits.ts'
import { isDuplicateKey, StorageUnavailableError } from '../storage-errors.ts'

/** The secret of a subscriber that ever erased a person. Never returned to anyone, and never changed. */
export type PersonKeyDocument = {
  /** subscriber, 16 bytes. */
  _id: Binary
  v: 1
  key: Binary
}

/** Turns the ids of one subscriber's persons into pseudonyms: UUIDv8, the same for one person at all times. */
type ToPseudonym = (personId: string) => string

export type PersonKeys = {
  /** Creates the key of the subscriber at the first call. */
  of(subscriberId: string): Promise<ToPseudonym>
}

/** Keys never change, so they are kept; of about 200 bytes each. */
const keptKeys = 10_000

export function createPersonKeys(collection: Collection<PersonKeyDocument>): PersonKeys {
  const kept = new Map<string, Buffer>()
  // A key that is not on a majority could be replaced by another one after a failover.
  const find = (_id: Binary) => collection.findOne({ _id }, { ...readLimits, readConcern: 'majority' })

  async function load(subscriberId: string): Promise<Buffer> {
    const _id = toKey(subscriberId)
    let document = await find(_id)
    if (!document) {
      try {
        await collection.insertOne({ _id, v: 1, key: new Binary(randomBytes(32)) })
      } catch (error) {
        // Another process inserted its key first.
        if (!isDuplicateKey(error)) throw error
      }
      document = await find(_id)
    }
    if (!document) throw new StorageUnavailableError('The key of the subscriber is not available yet')
    return Buffer.from(document.key.buffer)
  }

  return {
    async of(subscriberId) {
      const key = kept.get(subscriberId) ?? (await load(subscriberId))
      if (kept.size >= keptKeys) kept.clear()
      kept.set(subscriberId, key)
      return (personId) => toPseudonym(key, personId)
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
