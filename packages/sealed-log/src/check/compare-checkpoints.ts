import { isSameHash, readHash } from '../hash/hashes.ts'
import type { Checkpoint } from '../note/checkpoint.ts'
import { verifyConsistency } from '../tree/verify-proofs.ts'
import type { Finding } from './finding.ts'
import { isLineObject } from './sealed-line.ts'

/** The hashes that prove that a log continues from one size to another. */
export type Consistency = {
  readonly from: number
  readonly to: number
  readonly hashes: readonly Uint8Array[]
}

/** Reads an answer of `GET /change-entries/checkpoint/consistency`, with or without the `data` around it. */
export function readConsistency(answer: unknown): Consistency | undefined {
  const { from, to, hashes } = isLineObject(answer) ? (isLineObject(answer.data) ? answer.data : answer) : {}
  if (typeof from !== 'number' || typeof to !== 'number' || !Array.isArray(hashes)) return undefined
  const read = hashes.map(readHash)
  return read.every((hash) => hash !== undefined) ? { from, to, hashes: read } : undefined
}

/**
 * Whether two checkpoints are of one log, of which the smaller one is the beginning.
 *
 * @param consistency is ignored if both have one size
 * @returns undefined if they are, or if it takes the hashes between their sizes
 */
export function compareCheckpoints(a: Checkpoint, b: Checkpoint, consistency?: Consistency): Finding | undefined {
  const [older, newer] = a.size <= b.size ? [a, b] : [b, a]
  if (older.size === newer.size) {
    if (isSameHash(older.root, newer.root)) return undefined
    return {
      code: 1,
      words: `there are two different logs: both checkpoints have size ${older.size}, but not the same root`,
    }
  }
  if (consistency === undefined) return undefined
  const { from, to, hashes } = consistency
  const isForThem = from === older.size && to === newer.size
  const proof = { from, fromRoot: older.root, to, toRoot: newer.root, hashes }
  if (isForThem && verifyConsistency(proof)) return undefined
  const sizes = `the log of size ${newer.size} does not continue that of size ${older.size}`
  return { code: 1, words: `the consistency proof is wrong, or ${sizes}: entries before it were altered or removed` }
}
