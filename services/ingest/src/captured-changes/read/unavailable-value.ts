import { createHash } from 'node:crypto'
import { bytesToUuid, type JsonValue } from '@herald/contracts'

/**
 * Recognizes what PostgreSQL's connector writes for a large column that an update left alone: the placeholder, as text, as
 * bytes in base64 or hexadecimal, as the only element of an array, as an array of its bytes, as the UUID derived from it,
 * and as key and value of an hstore.
 */
export function createUnavailableCheck(placeholder: string): (value: JsonValue) => boolean {
  const bytes = Buffer.from(placeholder)
  const texts = new Set([
    placeholder,
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    nameUuid(bytes),
    JSON.stringify({ [placeholder]: placeholder }),
  ])
  // Most values are ruled out by their length, which costs less than their hash.
  const lengths = new Set([...texts].map(({ length }) => length))
  const isText = (value: JsonValue | undefined) =>
    typeof value === 'string' && lengths.has(value.length) && texts.has(value)
  return (value) => {
    if (typeof value !== 'object' || value === null) return isText(value)
    if (!Array.isArray(value)) return Object.keys(value).length === 1 && isText(value[placeholder])
    if (value.length === 1 && isText(value[0])) return true
    return value.length > 0 && value.length === bytes.length && value.every((one, index) => one === bytes[index])
  }
}

/** The UUIDv3 without a namespace, as Java's `UUID.nameUUIDFromBytes` has it. */
function nameUuid(name: Buffer): string {
  const bytes = createHash('md5').update(name).digest()
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x30
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return bytesToUuid(bytes)
}
