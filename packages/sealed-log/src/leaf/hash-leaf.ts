import { hash } from 'node:crypto'

/** The length of hashes and salts. */
export const hashBytes = 32

const leafPrefix = Buffer.of(0)

/** The hash of a leaf (RFC 9162, section 2.1.1): SHA-256 of 0x00 and the leaf's data. */
export function hashLeaf(data: Uint8Array): Buffer {
  return sha256(Buffer.concat([leafPrefix, data]))
}

export function sha256(data: Uint8Array): Buffer {
  return hash('sha256', data, 'buffer')
}
