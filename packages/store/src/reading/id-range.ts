import { fitsUuidV7 } from '@herald/contracts'
import type { Binary } from 'mongodb'
import { toKey } from '../binary.ts'

const first = '00000000-0000-0000-0000-000000000000'
const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

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
  if (milliseconds < 0) return first
  if (!fitsUuidV7(milliseconds)) return last
  const hex = milliseconds.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** The range of keys under `prefix` (subscriber, or subscriber and recipient) whose ids are in the range. */
export function keyRange(prefix: readonly string[], { before, upTo, createdFrom, createdTo }: IdRange) {
  const ends = [before, createdTo === undefined ? undefined : leastIdAt(createdTo)].filter((id) => id !== undefined)
  const end = ends.toSorted()[0]
  const from: { $gte: Binary } = { $gte: toKey(...prefix, createdFrom === undefined ? first : leastIdAt(createdFrom)) }
  if (end !== undefined && (upTo === undefined || end <= upTo)) return { ...from, $lt: toKey(...prefix, end) }
  return { ...from, $lte: toKey(...prefix, upTo ?? last) }
}
