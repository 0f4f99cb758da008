import { bytesToUuid, uuidToBytes } from '@herald/contracts'

/** The first byte of a cursor, so that another form can be told from it. */
const form = 1
const cursorBytes = 1 + 16 + 6

/** The index of the next leaf to read, of this log alone. Opaque for clients, but no secret. */
export function toCursor(subscriberId: string, index: number): string {
  const bytes = Buffer.alloc(cursorBytes, form)
  bytes.set(uuidToBytes(subscriberId), 1)
  bytes.writeUIntBE(index, 17, 6)
  return bytes.toString('base64url')
}

/** @returns `undefined` for a text that is no cursor of this log */
export function readCursor(subscriberId: string, cursor: string): number | undefined {
  const bytes = Buffer.from(cursor, 'base64url')
  const isCursor = bytes.length === cursorBytes && bytes[0] === form && bytes.toString('base64url') === cursor
  return isCursor && bytesToUuid(bytes, 1) === subscriberId ? bytes.readUIntBE(17, 6) : undefined
}
