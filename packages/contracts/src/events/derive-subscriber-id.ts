import { hash } from 'node:crypto'
import { bytesToUuid } from '../base/uuid.ts'

/**
 * Derives the UUID of a subscriber whom rows and tokens identify by something else: a UUIDv8 (RFC 9562) with the first 122 bits
 * of SHA-256 over `herald:subscriber:` and the text, in UTF-8. The derivation is frozen.
 */
export function deriveSubscriberId(text: string): string {
  const digest = BigInt(`0x${hash('sha256', `herald:subscriber:${text}`, 'hex')}`) >> (256n - 122n)
  const [custom, rest, last] = [digest >> 74n, (digest >> 62n) & 0xfffn, digest & ((1n << 62n) - 1n)]
  const bits = (((((custom << 4n) | 0x8n) << 12n) | rest) << 64n) | (0b10n << 62n) | last
  return bytesToUuid(Buffer.from(bits.toString(16).padStart(32, '0'), 'hex'))
}
