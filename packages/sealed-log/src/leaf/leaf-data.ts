import type { ChangeEntry } from '@herald/contracts'
import { hashBytes, sha256, toBase64 } from '../hash/hashes.ts'
import { toCanonicalJson } from './canonical-json.ts'

const entryForm = Buffer.of(1)
const erasureForm = Buffer.of(2)

/** Ranges of leaf indexes, each from its first to before its second number. */
export type LeafRanges = readonly (readonly [from: number, to: number])[]

/** An erasure of a person, as a leaf of a log. */
export type ErasureLeaf = {
  /** The id derived from the event. */
  readonly eventId: string
  /** The event's, as in responses. */
  readonly time: string
  /** Exactly the entries whose user it removed: ascending, no two ranges touching. */
  readonly leafIndexes: LeafRanges
}

export type EntryLeaf = {
  readonly salt: Uint8Array
  /** The return value of {@link hashUser}. */
  readonly userHash: Uint8Array
  /** In the form of specification 2.5. Its user is not read. */
  readonly entry: Omit<ChangeEntry, 'user'>
}

/** SHA-256 of `userSalt`, followed by the user in canonical JSON. When an erasure removes both, the hash remains. */
export function hashUser(userSalt: Uint8Array, user: ChangeEntry['user']): Buffer {
  checkSize('userSalt', userSalt)
  const { id, name, email } = user
  return sha256(Buffer.concat([userSalt, Buffer.from(toCanonicalJson({ id, name, email }))]))
}

/**
 * The data of an entry's leaf: 0x01, the salt, and ten fields in canonical JSON, with `userHash` instead of `user`.
 * The fields are frozen: one that the API adds later is not part of the leaf.
 */
export function entryLeafData({ salt, userHash, entry }: EntryLeaf): Buffer {
  checkSize('salt', salt)
  checkSize('userHash', userHash)
  const { id, entityType, entityId, entityTitle, actionType, changedField, createdAt, beforeState, afterState } = entry
  const fields = {
    id,
    userHash: toBase64(userHash),
    entityType,
    entityId,
    entityTitle,
    actionType,
    changedField,
    createdAt,
    beforeState,
    afterState,
  }
  return Buffer.concat([entryForm, salt, Buffer.from(toCanonicalJson(fields))])
}

/** The data of an erasure's leaf: 0x02, and its three fields in canonical JSON. */
export function erasureLeafData({ eventId, time, leafIndexes }: ErasureLeaf): Buffer {
  return Buffer.concat([erasureForm, Buffer.from(toCanonicalJson({ eventId, time, leafIndexes }))])
}

function checkSize(name: string, { length }: Uint8Array): void {
  if (length !== hashBytes) throw new RangeError(`${name} must have ${hashBytes} bytes, not ${length}`)
}
