import { makeUuidV7 } from '@herald/contracts'
import fc from 'fast-check'
import { BSON } from 'mongodb'

export const uuid = (n: number) => `0190a6e0-7c1b-4def-8abc-${n.toString(16).padStart(12, '0')}`
export const subscriberId = uuid(1)
/** The earliest time of stored test data. It is ahead, so that MongoDB deletes nothing that expires during a test. */
export const start = Date.parse('2126-01-01T00:00:00Z')
export const at = (seconds: number) => new Date(start + seconds * 1_000)

/** The id of this many milliseconds after {@link start}; `n` distinguishes those of one millisecond. */
export function idAt(ms: number, n = 0): string {
  const tail = Buffer.alloc(10)
  tail.writeUInt32BE(n, 4)
  return makeUuidV7(start + ms, tail)
}

/** A document as the bytes that MongoDB sends. */
export const bytesOf = (document: object) => Buffer.from(BSON.serialize(document, { ignoreUndefined: true }))

/** Text that survives UTF-8: without lone surrogates. */
export const anyText = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary-ascii' }))
export const anyTime = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
