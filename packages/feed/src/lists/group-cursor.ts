import { hash } from 'node:crypto'
import { limits } from '@herald/contracts'
import { greatestId, toKey, uuidIn } from '@herald/mongo'
import { Binary } from 'mongodb'

/** Where the pages of a list of groups have come to. */
export type GroupCursor = {
  /** The newest notification that the first page looked at. */
  readonly newest: string
  /** The oldest notification that was returned as the latest of a group. */
  readonly last: string
  /** The groups that were returned. Cursors of earlier releases do not contain them. */
  readonly returned?: Returned
}

/** The beginnings of the hashes of groups, of `width` characters. */
type Returned = { readonly width: number; readonly hashes: ReadonlySet<string> }

type Listed = {
  /** Names the location of the group. */
  readonly place: string
  readonly latest: Binary
}

/** Characters of a cursor without groups: two ids in base64url. */
const idCharacters = 43
const hashesFrom = idCharacters + 1
const maxWidth = 6

/** Reads a cursor whose form the contract's schema has checked. */
export function readGroupCursor(text: string): GroupCursor {
  const key = new Binary(Buffer.from(text.slice(0, idCharacters), 'base64url'))
  const ids = { newest: uuidIn(key), last: uuidIn(key, 1) }
  if (text.length === idCharacters) return ids
  const width = Number(text[idCharacters])
  const hashes = new Set<string>()
  for (let at = hashesFrom; at < text.length; at += width) hashes.add(text.slice(at, at + width))
  return { ...ids, returned: { width, hashes } }
}

/**
 * Whether an earlier page returned the group. If its latest is older than `last`, it was not. Of the others, late events moved ahead
 * those that were not returned. These are few, so it is unlikely that one has the hash of another group and is left out.
 */
export function wasReturned({ last, returned }: GroupCursor, group: Listed): boolean {
  if (latestIdOf(group) < last) return false
  return returned === undefined || returned.hashes.has(hashOf(group, returned.width))
}

/** The cursor that the first page has in place of one. */
export const beginAt = (newest: Listed): GroupCursor => ({ newest: latestIdOf(newest), last: greatestId })

/**
 * The cursor of the page after one that began at another cursor and ended with `end`. `groups` are those that have been returned and
 * are still among the grouped notifications. Each has at least 4 characters, 24 bits; if there are up to 675, 6 characters, 36 bits.
 */
export function toGroupCursor(from: GroupCursor, end: Listed, groups: readonly Listed[]): string {
  const known = from.returned?.width ?? maxWidth
  // Groups that are no longer among them can still get a late notification. They are kept while there is room.
  const hashes = new Set(from.returned?.hashes)
  for (const group of groups) {
    const hash = hashOf(group, known)
    hashes.delete(hash)
    hashes.add(hash)
  }
  const kept = [...hashes].slice(-limits.groupedNotifications)
  const width = Math.min(known, Math.floor((limits.groupCursorCharacters - hashesFrom) / kept.length))
  const last = [from.last, latestIdOf(end)].toSorted()[0] as string
  const ids = Buffer.from(toKey(from.newest, last).buffer).toString('base64url')
  return `${ids}${width}${kept.map((hash) => hash.slice(0, width)).join('')}`
}

const latestIdOf = ({ latest }: Listed) => uuidIn(latest, 2)
const hashOf = ({ place }: Listed, width: number) => hash('sha256', place, 'base64url').slice(0, width)
