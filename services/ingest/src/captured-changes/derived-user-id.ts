import { hash } from 'node:crypto'
import { bytesToUuid, uuidToBytes } from '@herald/contracts'

/**
 * A stable id for a user whom a row identifies by something else than a UUID: the first 16 bytes of SHA-256 over the
 * subscriber's 16 bytes and the text in UTF-8, as a UUIDv8 (RFC 9562). The derivation is frozen.
 */
export function deriveUserId(subscriberId: string, text: string): string {
  const digest = hash('sha256', Buffer.concat([uuidToBytes(subscriberId), Buffer.from(text)]), 'buffer')
  digest[6] = ((digest[6] as number) & 0x0f) | 0x80
  digest[8] = ((digest[8] as number) & 0x3f) | 0x80
  return bytesToUuid(digest)
}
