import { randomBytes } from 'node:crypto'
import { hashBytes } from '../hash/hashes.ts'

/** Draws a salt. Without it, the hash of an entry would reveal the entry to whoever can guess its content. */
export function drawSalt(): Buffer {
  return randomBytes(hashBytes)
}
