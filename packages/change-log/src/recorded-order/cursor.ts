import { bytesToUuid, uuidToBytes } from '@herald/contracts'

/** The first byte of a cursor, so that another form can be told from it. */
const form = 2
const chainBytes = 16
const cursorBytes = 1 + 16 + 6 + chainBytes

/** A place in a log: the index of the next leaf to read, and the chain of the page that has the leaf before it. */
export type Place = { readonly index: number; readonly chain: Uint8Array }

/** A place in this log alone. Opaque for clients, but no secret. */
export function toCursor(subscriberId: string, { index, chain }: Place): string {
  const bytes = Buffer.alloc(cursorBytes, form)
  bytes.set(uuidToBytes(subscriberId), 1)
  bytes.writeUIntBE(index, 17, 6)
  bytes.set(chain.subarray(0, chainBytes), 23)
  return bytes.toString('base64url')
}

/** @returns `undefined` for a text that is no cursor of this log */
export function readCursor(subscriberId: string, cursor: string): Place | undefined {
  const bytes = Buffer.from(cursor, 'base64url')
  const isCursor = bytes.length === cursorBytes && bytes[0] === form && bytes.toString('base64url') === cursor
  if (!isCursor || bytesToUuid(bytes, 1) !== subscriberId) return undefined
  return { index: bytes.readUIntBE(17, 6), chain: bytes.subarray(23) }
}

/** Whether a log has the chain that a cursor names: not if it was restored from a backup that lacks what the cursor has passed. */
export const isSameChain = (chain: Uint8Array, { chain: named }: Place): boolean =>
  Buffer.from(chain.subarray(0, chainBytes)).equals(named.subarray(0, chainBytes))
