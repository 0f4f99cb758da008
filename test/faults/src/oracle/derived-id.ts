import { createHash } from 'node:crypto'

/** The UUIDs of the event plan as 16 bytes: a role and a number. */
export function plannedUuid(role: number, number: number): Buffer {
  const bytes = Buffer.alloc(16)
  bytes.writeUInt32BE(role, 0)
  bytes[6] = 0x40
  bytes[8] = 0x80
  bytes.writeUIntBE(number, 10, 6)
  return bytes
}

/**
 * The id that the contract derives from an event, computed without Herald's code: a UUIDv7 of its time and of SHA-256
 * over subscriber, source and id.
 */
export function derivedId(subscriber: Buffer, source: string, id: string, time: number): Buffer {
  const hash = createHash('sha256').update(subscriber)
  for (const text of [source, id]) {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(Buffer.byteLength(text))
    hash.update(length).update(text)
  }
  const digest = hash.digest()
  const bits = digest.readBigUInt64BE(0)
  const randomA = bits >> 52n
  const randomB = ((bits & ((1n << 52n) - 1n)) << 10n) | BigInt(digest.readUInt16BE(8) >> 6)
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(time, 0, 6)
  bytes.writeUInt16BE(Number(0x7000n | randomA), 6)
  bytes.writeBigUInt64BE((0b10n << 62n) | randomB, 8)
  return bytes
}
