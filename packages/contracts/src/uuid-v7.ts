import { bytesToUuid } from './uuid.ts'

const maxTime = 2 ** 48

/** Whether a UUIDv7 can contain the time: from 1970 to the year 10889. */
export function fitsUuidV7(milliseconds: number): boolean {
  return milliseconds >= 0 && milliseconds < maxTime
}

/**
 * A UUIDv7 (RFC 9562, section 5.7): 48 bits of Unix milliseconds, then the first 74 bits of `tail` around version and
 * variant, 12 in `rand_a` and 62 in `rand_b`.
 *
 * @param milliseconds whole, within {@link fitsUuidV7}
 * @param tail at least 10 bytes: random for a fresh id, a hash for a derived one
 */
export function makeUuidV7(milliseconds: number, tail: Uint8Array): string {
  const bytes = Buffer.allocUnsafe(16)
  const at = (index: number) => tail[index] as number
  bytes.writeUIntBE(milliseconds, 0, 6)
  bytes[6] = 0x70 | (at(0) >> 4)
  bytes[7] = ((at(0) & 0x0f) << 4) | (at(1) >> 4)
  bytes[8] = 0x80 | ((at(1) & 0x0f) << 2) | (at(2) >> 6)
  for (let i = 9; i < 16; i++) bytes[i] = ((at(i - 7) & 0x3f) << 2) | (at(i - 6) >> 6)
  return bytesToUuid(bytes)
}

/** The time in a UUIDv7, in milliseconds since 1970; `undefined` for other versions. */
export function timeOfUuidV7(uuid: string): number | undefined {
  return uuid[14] === '7' ? Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16) : undefined
}
