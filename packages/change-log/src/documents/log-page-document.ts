import { createHash } from 'node:crypto'
import { uuidToBytes } from '@herald/contracts'
import { toIndexKey } from '@herald/mongo'
import { hashBytes } from '@herald/sealed-log'
import { Binary } from 'mongodb'

/**
 * Some consecutive leaves of a subscriber's log in recorded order: entries, or one erasure. Inserted once and never deleted;
 * only the user salts of erased persons become zeros.
 */
export type LogPageDocument = EntryPage | ErasurePage

type LogPage = {
  /** subscriber ‖ first index (8 bytes, big-endian), 24 bytes. Of two that begin at the same index, the second is refused. */
  _id: Binary
  v: 1
  /** The index of its first leaf. */
  first: number
  count: number
  /** The position in the change stream up to which this log was complete with this page; absent before there was one. */
  position?: string | undefined
  /** By MongoDB's clock. */
  recordedAt: Date
  /** 32 bytes for each leaf, as in the fields of {@link EntryPage}. */
  leafHashes: Binary
  /** The log up to the end of this page in 32 bytes, see {@link chainOf}. */
  chain: Binary
}

export type EntryPage = LogPage & {
  /** In an array, because they are in an index. */
  ids: Binary[]
  salts: Binary
  /** Zeros for entries whose user was erased. */
  userSalts: Binary
  userHashes: Binary
}

export type ErasurePage = LogPage & {
  erasure: {
    /** The target of the erasure: subscriber ‖ pseudonym, 32 bytes. */
    target: Binary
    eventId: Binary
    time: Date
    /** The ranges of entries whose user it erased, see {@link encodeRanges}. */
    leafIndexes: Binary
  }
}

/** Up to which change the order contains what is stored. */
export type LogStateDocument = {
  _id: 'order'
  v: 1
  position?: string
  /** When the order was level with everything stored then, by the primary's clock. */
  levelAt?: Date
  /** A comparison of what is stored with what is in the order: begun at this position, done up to this key. */
  comparison?: { position: string; after: Binary | null }
}

/** The origin and keys that seal the logs, for processes without a key. In the same collection. */
export type SealingStateDocument = {
  _id: 'sealing'
  v: 1
  /** The first part of the names of logs and keys. */
  origin: string
  /** Public keys, 32 bytes each; the present one first. */
  keys: Binary[]
  /** The witnesses of the policy: names and ids of their keys. Absent before there were any. */
  witnesses?: string[]
}

/** A log that is sealed no further until an operator has decided. In the same collection, while it lasts. */
export type ConflictDocument = {
  /** `conflict/<subscriber>` */
  _id: string
  v: 1
  reason: string
  foundAt: Date
}

/** A signed acceptance of an operator, as it is published. In the same collection. */
export type AcceptanceDocument = {
  /** `accepted/<subscriber>` */
  _id: string
  v: 2
  note: string
  acceptedAt: Date
}

/** The sizes up to which witnesses know a log. In the same collection. */
export type WitnessedDocument = {
  /** `witnessed/<subscriber>` */
  _id: string
  v: 1
  witnesses: WitnessedBy[]
}

export type WitnessedBy = {
  /** The name and id of its key. */
  witness: string
  /** The largest checkpoint that it has cosigned; 0 if none. */
  size: number
  /** Why it cosigns no larger one, and since when; absent while it does. */
  problem?: string
  since?: Date
}

export const entriesPerPage = 1_000

/** One of the hashes or salts in a field of a page. */
export const hashAt = ({ buffer }: Pick<Binary, 'buffer'>, at: number): Uint8Array =>
  buffer.subarray(at * hashBytes, (at + 1) * hashBytes)

const zeros = Buffer.alloc(hashBytes)

/** The chain of a log without pages. */
export const emptyChain: Uint8Array = zeros

/**
 * The chain of a page: SHA-256 over that of the page before and its own leaf hashes. Salts are random, so a log that was restored
 * from a backup and grew again has other chains from there on, whatever it contains.
 */
export function chainOf(before: Uint8Array, { buffer: leafHashes }: Pick<Binary, 'buffer'>): Binary {
  return new Binary(createHash('sha256').update(before).update(leafHashes).digest())
}

/** Whether the salt of a user is gone, because the user was erased. */
export const isDropped = (userSalt: Uint8Array): boolean => zeros.equals(userSalt)

const lastKey = (subscriberId: string) => new Binary(Buffer.concat([uuidToBytes(subscriberId), Buffer.alloc(8, 0xff)]))

/** The keys of the pages of a log that begin at or behind an index. */
export const pagesFrom = (subscriberId: string, first: number) => ({
  $gte: toIndexKey(subscriberId, first),
  $lte: lastKey(subscriberId),
})

export type IndexRange = readonly [from: number, to: number]

/** First indexes and ends of ranges, alternating. An erasure may have millions, which are searched for each of many leaves. */
export type RangeBounds = Float64Array

/** Whether an index is in one of the ranges: the bounds ascend, and an odd number of them is not behind it. */
export function isInRanges(bounds: RangeBounds, index: number): boolean {
  let [low, high] = [0, bounds.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((bounds[middle] as number) <= index) low = middle + 1
    else high = middle
  }
  return low % 2 === 1
}

/** Joins ascending indexes to ranges that do not touch. */
export function toRanges(indexes: readonly number[]): IndexRange[] {
  const ranges: [number, number][] = []
  for (const index of indexes) {
    const last = ranges.at(-1)
    if (last?.[1] === index) last[1]++
    else ranges.push([index, index + 1])
  }
  return ranges
}

/** Writes ranges as the distances between their ends, each in as many groups of 7 bits as it needs (LEB128): some 3 bytes a range. */
export function encodeRanges(ranges: readonly IndexRange[]): Binary {
  const bytes: number[] = []
  let end = 0
  for (const next of ranges.flat()) {
    let distance = next - end
    end = next
    for (; distance >= 0x80; distance = Math.floor(distance / 0x80)) bytes.push((distance % 0x80) | 0x80)
    bytes.push(distance)
  }
  return new Binary(Buffer.from(bytes))
}

export const decodeRanges = (encoded: Binary): IndexRange[] => [...rangesIn(encoded)]

/** The ranges in 16 bytes each. */
export function decodeBounds(encoded: Binary): RangeBounds {
  // Two bytes are the least that a range takes.
  const bounds = new Float64Array(encoded.length())
  let count = 0
  for (const [from, to] of rangesIn(encoded)) {
    bounds[count++] = from
    bounds[count++] = to
  }
  return bounds.slice(0, count)
}

/** Yields the ranges one at a time. */
export function* rangesIn({ buffer }: Pick<Binary, 'buffer'>): Generator<IndexRange, void, void> {
  let from: number | undefined
  let end = 0
  let [distance, scale] = [0, 1]
  for (const byte of buffer) {
    distance += (byte & 0x7f) * scale
    scale *= 0x80
    if (byte >= 0x80) continue
    end += distance
    distance = 0
    scale = 1
    if (from === undefined) from = end
    else {
      yield [from, end]
      from = undefined
    }
  }
}
