import { uuidToBytes } from '@herald/contracts'
import { Binary } from 'mongodb'

/** The hash of a full tile of a log's Merkle tree. It follows from the leaves, so it is inserted once and never changes. */
export type LogNodeDocument = {
  /** subscriber ‖ level ‖ index (8 bytes, big-endian), 25 bytes: a tile is a range of keys. */
  _id: Binary
  v: 1
  hash: Binary
}

/** A log at a size. Of two that were computed at once, the second is refused; only the one that is stored is ever signed. */
export type CheckpointDocument = {
  /** subscriber ‖ size (8 bytes, big-endian), 24 bytes. */
  _id: Binary
  v: 1
  root: Binary
  /** By MongoDB's clock. */
  sealedAt: Date
  /** The signed checkpoint; absent until it is signed, which its process may not have lived to do. It is served and published. */
  note?: string
  /** The signed checkpoint, instead of the note until it has the quorum of witnesses. */
  unwitnessed?: string
  /** The cosignatures, which belong behind the note. One of each key. */
  cosignatures?: Cosignature[]
}

export type Cosignature = {
  /** The witness: name and id of its key. */
  witness: string
  /** With its end. */
  line: string
}

const subscriberBytes = 16
const indexBytes = 8

/** The key of a hash: `256 ** level` leaves, from leaf `index * 256 ** level` on. The level is at least 1. */
export function nodeKey(subscriberId: string, level: number, index: number): Binary {
  const bytes = Buffer.alloc(subscriberBytes + 1 + indexBytes)
  bytes.set(uuidToBytes(subscriberId))
  bytes.writeUInt8(level, subscriberBytes)
  bytes.writeBigUInt64BE(BigInt(index), subscriberBytes + 1)
  return new Binary(bytes)
}

/** The size in a checkpoint's key. */
export function sizeIn({ buffer }: Binary): number {
  return Number(Buffer.from(buffer).readBigUInt64BE(subscriberBytes))
}
