import { hash } from 'node:crypto'

/** The length of hashes and salts. */
export const hashBytes = 32

const leafPrefix = Buffer.of(0)

/** Reused buffer for 0x01 and two hashes. */
const children = Buffer.alloc(1 + 2 * hashBytes, 1)

export function sha256(data: Uint8Array): Buffer {
  return hash('sha256', data, 'buffer')
}

/** The hash of a leaf (RFC 9162, section 2.1.1): SHA-256 of 0x00 and the leaf's data. */
export function hashLeaf(data: Uint8Array): Buffer {
  return sha256(Buffer.concat([leafPrefix, data]))
}

/** The hash of an inner node (RFC 9162, section 2.1.1): SHA-256 of 0x01 and the hashes of both subtrees. */
export function hashChildren(left: Uint8Array, right: Uint8Array): Buffer {
  children.set(left, 1)
  children.set(right, 1 + hashBytes)
  return sha256(children)
}

/** Whether the two are the same hash. They are public, so the time that it takes reveals nothing. */
export function isSameHash(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}

/** @returns undefined unless the text is the Base64 of 32 bytes, in the standard alphabet and with padding */
export function readHash(text: unknown): Buffer | undefined {
  const bytes = readBase64(text)
  return bytes?.length === hashBytes ? bytes : undefined
}

/** @returns undefined unless the text is Base64 in the standard alphabet and with padding: Buffer ignores what is not */
export function readBase64(text: unknown): Buffer | undefined {
  if (typeof text !== 'string') return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
