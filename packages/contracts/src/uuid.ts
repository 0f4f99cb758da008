import { z } from 'zod'

// Both cases are spelled out, because a flag would be lost in the JSON Schema.
const uuidPattern = /^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$/

/** Any 8-4-4-4-12 hexadecimal form of any version, parsed to lower case. */
export const uuidSchema = z
  .string()
  .regex(uuidPattern, { error: 'Must be a UUID' })
  .transform((text) => text.toLowerCase())
  .meta({ format: 'uuid' })

/** Whether `text` has the form of a UUID, in upper or lower case. */
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
