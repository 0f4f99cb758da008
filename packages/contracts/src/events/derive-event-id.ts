import { hash } from 'node:crypto'
import { makeUuidV7, writeUuid } from '../base/uuid.ts'

/** Reused buffer for the part of the hash that goes into an id. */
const tail = new Uint8Array(10)

/** Identifies an event across redeliveries and replays. */
export type EventIdentity = {
  readonly subscriberId: string
  /** The CloudEvents attributes `source` and `id`, unmodified. */
  readonly source: string
  readonly id: string
  /** Milliseconds since 1970 of the attribute `time`, truncated. */
  readonly time: number
}

/**
 * Derives the id of the notification or change entry that an event creates: a UUIDv7 with the event's time and the first
 * 74 bits of SHA-256 over the subscriber's 16 bytes, `source` and `id`, the latter two in UTF-8 and each preceded by its
 * length in bytes (32 bits, big-endian). The derivation is frozen, so that a replay years later yields the same id.
 */
export function deriveEventId({ subscriberId, source, id, time }: EventIdentity): string {
  const sourceLength = Buffer.byteLength(source)
  const idLength = Buffer.byteLength(id)
  const input = Buffer.allocUnsafe(16 + 4 + sourceLength + 4 + idLength)
  writeUuid(input, subscriberId, 0)
  input.writeUInt32BE(sourceLength, 16)
  input.write(source, 20)
  input.writeUInt32BE(idLength, 20 + sourceLength)
  input.write(id, 24 + sourceLength)
  // A latin-1 string takes a third of the time of a Buffer.
  const digest = hash('sha256', input, 'binary')
  for (let i = 0; i < tail.length; i++) tail[i] = digest.charCodeAt(i)
  return makeUuidV7(time, tail)
}
