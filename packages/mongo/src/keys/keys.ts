import { bytesToUuid, fitsUuidV7, makeUuidV7, uuidToBytes, writeUuid } from '@herald/contracts'
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

export function uuidIn({ buffer }: Binary, index = 0): string {
  return bytesToUuid(buffer, 16 * index)
}

/** subscriber ‖ index (8 bytes, big-endian), 24 bytes: the keys of one log sort by index. */
export function toIndexKey(subscriberId: string, index: number): Binary {
  const bytes = Buffer.allocUnsafe(24)
  writeUuid(bytes, subscriberId, 0)
  bytes.writeBigUInt64BE(BigInt(index), 16)
  return new Binary(bytes)
}

/** The keys of one log up to an index. */
export const indexKeysUpTo = (subscriberId: string, index: number = Number.MAX_SAFE_INTEGER) => ({
  $gte: toIndexKey(subscriberId, 0),
  $lte: toIndexKey(subscriberId, index),
})

/** The bytes as text, which compares and can be the key of a map. */
export const hex = (binary: Binary) => binary.toString('hex')

export const leastId = '00000000-0000-0000-0000-000000000000'
export const greatestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The range of keys that begin with `prefix` and have `count` UUIDs. */
export function keysUnder(prefix: readonly string[], count: number) {
  const rest = (id: string) => Array.from({ length: count - prefix.length }, () => id)
  return { $gte: toKey(...prefix, ...rest(leastId)), $lte: toKey(...prefix, ...rest(greatestId)) }
}

/** A range of ids in time order; times in milliseconds since 1970. */
export type IdRange = {
  /** Exclusive: only ids older than this one. */
  readonly before?: string | undefined
  /** Inclusive: this id and older ones. */
  readonly upTo?: string | undefined
  readonly createdFrom?: number | undefined
  /** Exclusive. */
  readonly createdTo?: number | undefined
}

/** The smallest id of a millisecond: a UUIDv7 starts with its time. */
function leastIdAt(milliseconds: number): string {
  if (milliseconds < 0) return leastId
  if (!fitsUuidV7(milliseconds)) return greatestId
  const hex = milliseconds.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** The range of keys under `prefix` (subscriber, or subscriber and recipient) whose ids are in the range. */
export function keyRange(prefix: readonly string[], { before, upTo, createdFrom, createdTo }: IdRange) {
  const ends = [before, createdTo === undefined ? undefined : leastIdAt(createdTo)].filter((id) => id !== undefined)
  const end = ends.toSorted()[0]
  const from: { $gte: Binary } = {
    $gte: toKey(...prefix, createdFrom === undefined ? leastId : leastIdAt(createdFrom)),
  }
  if (end !== undefined && (upTo === undefined || end <= upTo)) return { ...from, $lt: toKey(...prefix, end) }
  return { ...from, $lte: toKey(...prefix, upTo ?? greatestId) }
}

/** The ids up to a time, inclusive. */
export const createdUpTo = (time: Date) => ({ createdTo: time.getTime() + 1 })
/** The greatest id of a millisecond. */
export const lastIdOf = (time: Date) => makeUuidV7(time.getTime(), Buffer.alloc(10, 0xff))

export const byKey = <T extends { readonly _id: Binary }>(documents: Iterable<T>) =>
  new Map([...documents].map((document) => [hex(document._id), document]))
