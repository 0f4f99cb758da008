import { z } from 'zod'

// Both cases are spelled out, for a flag would not get into the JSON Schema.
const uuidPattern = /^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$/

/** Any 8-4-4-4-12 hexadecimal form, whatever its version; the output is in lower case. */
export const uuidSchema = z
  .string()
  .regex(uuidPattern, { error: 'Must be a UUID' })
  .transform((text) => text.toLowerCase())
  .meta({ format: 'uuid' })

/** Whether `text` has the form of a UUID, in upper or lower case. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text)
}

/** The 16 bytes of a UUID in its text form. The text must have been checked before. */
export function uuidToBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex')
}

/** The text form, in lower case, of the 16 bytes at `offset`. */
export function bytesToUuid(bytes: Buffer, offset = 0): string {
  const hex = bytes.toString('hex', offset, offset + 16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
