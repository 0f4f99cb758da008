import { z } from 'zod'

// Both cases are spelled out, because a flag would be lost in the JSON Schema.
const uuidPattern = /^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$/

/** Any 8-4-4-4-12 hexadecimal form of any version, parsed to lower case. */
export const uuidSchema = z
  .string()
  .regex(uuidPattern, { error: 'Must be a UUID' })
  .toLowerCase()
  .meta({ format: 'uuid' })

export function isUuid(text: string): boolean {
  return uuidPattern.test(text)
}

// Both directions use tables: Buffer's hex codec needs a string without dashes and a native call, which takes five times
// as long, and millions of ids are converted.
const digits = Buffer.from('0123456789abcdef')
const valueOfDigit = new Uint8Array(128)
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16)
  valueOfDigit[digit.charCodeAt(0)] = value
  valueOfDigit[digit.toUpperCase().charCodeAt(0)] = value
}
/** The position of each byte's two digits. */
const digitsOfByte = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const

/** Writes the 16 bytes of a UUID at `offset`. The UUID must be valid. */
export function writeUuid(bytes: Uint8Array, uuid: string, offset: number): void {
  for (let i = 0; i < 16; i++) {
    const at = digitsOfByte[i] as number
    const high = valueOfDigit[uuid.charCodeAt(at)] as number
    bytes[offset + i] = (high << 4) | (valueOfDigit[uuid.charCodeAt(at + 1)] as number)
  }
}

/** The 16 bytes of a UUID, which must be valid. */
export function uuidToBytes(uuid: string): Buffer {
  const bytes = Buffer.allocUnsafe(16)
  writeUuid(bytes, uuid, 0)
  return bytes
}

/** Reused buffer for the text form, with its dashes in place. */
const textBytes = Buffer.alloc(36, '-')

/** The text form, in lower case, of the 16 bytes at `offset`. */
export function bytesToUuid(bytes: Uint8Array, offset = 0): string {
  for (let i = 0; i < 16; i++) {
    const at = digitsOfByte[i] as number
    const byte = bytes[offset + i] as number
    textBytes[at] = digits[byte >> 4] as number
    textBytes[at + 1] = digits[byte & 15] as number
  }
  return textBytes.toString('latin1')
}

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
