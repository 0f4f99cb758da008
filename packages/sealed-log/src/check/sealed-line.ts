import type { ChangeEntry } from '@herald/contracts'
import { hashLeaf, readHash } from '../hash/hashes.ts'
import { type ErasureLeaf, entryLeafData, erasureLeafData, hashUser } from '../leaf/leaf-data.ts'

/** A line of a sealed export, as `JSON.parse` returned it. */
export type LineObject = Readonly<Record<string, unknown>>

/** A leaf, as far as its line can be read. */
export type SealedLine = {
  readonly index: number
  readonly kind: 'entry' | 'erased' | 'expired' | 'erasure'
  /** The id of the entry. */
  readonly id: string | undefined
  /** The `leafHash` of the line. */
  readonly leafHash: Buffer | undefined
  /** The hash that follows from the content; undefined if it expired. */
  readonly computed: Buffer | undefined
  /** The fault of the line, if it has one. */
  readonly fault: string | undefined
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const pseudonym = /^.{14}8.{4}[89ab]/
const time = /^[0-9TZ:+.-]{1,40}$/

const isUuid = (value: unknown): value is string => typeof value === 'string' && uuid.test(value)

export const isLineObject = (value: unknown): value is LineObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isIndex = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

/** Reads a line with a `leafIndex`. */
export function readSealedLine(line: LineObject, index: number): SealedLine {
  const { entry } = line
  const id = isLineObject(entry) && isUuid(entry.id) ? entry.id : undefined
  const leafHash = readHash(line.leafHash)
  const kind = kindOf(line)
  const read = { index, id, leafHash, computed: undefined }
  if (kind === undefined) {
    return {
      ...read,
      kind: 'entry',
      fault: 'the line has not the form of an entry, an erased or expired one, or an erasure',
    }
  }
  const computed = kind === 'expired' ? undefined : compute(kind, line)
  if (typeof computed === 'string') return { ...read, kind, fault: computed }
  return { ...read, kind, computed, fault: faultOf(kind, leafHash, computed) }
}

function faultOf(kind: SealedLine['kind'], leafHash: Buffer | undefined, computed: Buffer | undefined) {
  if (leafHash === undefined) return 'leafHash is missing or is not the Base64 of 32 bytes'
  if (computed === undefined || computed.equals(leafHash)) return undefined
  const content = kind === 'erasure' ? 'the erasure' : 'the content'
  return `${content} does not give the leafHash of its line: one of them was altered`
}

/** Two kinds of content in one line are none: readers would see the one, and the hash would be that of the other. */
function kindOf(line: LineObject): SealedLine['kind'] | undefined {
  const { entry, erasure, gone } = line
  const hasEntry = entry !== undefined && entry !== null
  if (erasure !== undefined && erasure !== null) return hasEntry || isThere(gone) ? undefined : 'erasure'
  if (gone === 'expired') return hasEntry ? undefined : 'expired'
  if (gone === 'erased') return hasEntry ? 'erased' : undefined
  return hasEntry && !isThere(gone) ? 'entry' : undefined
}

const isThere = (value: unknown) => value !== undefined && value !== null

/** @returns the hash, or why there is none */
function compute(kind: 'entry' | 'erased' | 'erasure', line: LineObject): Buffer | string {
  try {
    return kind === 'erasure' ? computeErasure(line) : computeEntry(kind, line)
  } catch {
    // A number out of range, or nesting that no entry can have.
    return 'the content has no canonical form: it was altered'
  }
}

function computeEntry(
  kind: 'entry' | 'erased',
  { salt: saltText, userSalt, userHash: userHashText, entry }: LineObject,
) {
  if (!isLineObject(entry)) return 'the entry is not an object'
  const salt = readHash(saltText)
  if (salt === undefined) return 'salt is missing or is not the Base64 of 32 bytes'
  if (kind === 'erased' && !isErasedUser(entry.user)) {
    return 'marked as erased, but its user is not just a pseudonym with an empty name and an empty e-mail address'
  }
  const userHash = kind === 'erased' ? readHash(userHashText) : computeUserHash(userSalt, entry.user)
  if (userHash === undefined) return 'userHash is missing or is not the Base64 of 32 bytes'
  if (typeof userHash === 'string') return userHash
  return hashLeaf(entryLeafData({ salt, userHash, entry: entry as ChangeEntry }))
}

/**
 * Whether a user is what an erasure leaves: a pseudonym (UUIDv8), an empty name and an empty e-mail address, and nothing else.
 * The change log in the browser decides it too; `erased-users.json` there has cases for both.
 */
export function isErasedUser(user: unknown): boolean {
  if (!isLineObject(user)) return false
  const { id, name, email, ...others } = user
  return isUuid(id) && pseudonym.test(id) && name === '' && email === '' && Object.keys(others).length === 0
}

function computeUserHash(userSaltText: unknown, user: unknown): Buffer | string {
  const userSalt = readHash(userSaltText)
  if (userSalt === undefined) return 'userSalt is missing or is not the Base64 of 32 bytes'
  return isLineObject(user) ? hashUser(userSalt, user as ChangeEntry['user']) : 'user is missing'
}

function computeErasure({ leafIndex, erasure }: LineObject): Buffer | string {
  const leaf = readErasure(erasure, leafIndex as number)
  return leaf === undefined ? 'the erasure has not the form of one' : hashLeaf(erasureLeafData(leaf))
}

/** @returns undefined unless its ranges are ascending, do not touch, and lie before the erasure's own leaf */
export function readErasure(erasure: unknown, leafIndex: number): ErasureLeaf | undefined {
  if (!isLineObject(erasure)) return undefined
  const { eventId, time: timeText, leafIndexes } = erasure
  if (!isUuid(eventId) || typeof timeText !== 'string' || !time.test(timeText)) return undefined
  if (!Array.isArray(leafIndexes)) return undefined
  let end = -1
  for (const range of leafIndexes) {
    if (!Array.isArray(range) || range.length !== 2 || !range.every(isIndex)) return undefined
    const [from, to] = range as [number, number]
    if (from <= end || from >= to || to > leafIndex) return undefined
    end = to
  }
  return { eventId, time: timeText, leafIndexes: leafIndexes as [number, number][] }
}
