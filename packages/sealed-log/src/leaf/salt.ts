import { randomFillSync } from 'node:crypto'
import { hashBytes } from '../hash/hashes.ts'

/** Drawn at once, because each call of the operating system's generator takes as long as hashing an entry. */
const pool = Buffer.alloc(2_048 * hashBytes)
let used = pool.length

/** Draws a salt. Without it, the hash of an entry would reveal the entry to whoever can guess its content. */
export function drawSalt(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const salt = Buffer.from(pool.subarray(used, used + hashBytes))
  // No copy of the salt stays in the pool.
  pool.fill(0, used, used + hashBytes)
  used += hashBytes
  return salt
}
