import { bytesToUuid, uuidToBytes, writeUuid } from '@herald/contracts'
import type { Binary } from 'mongodb'

/** Recipients in ascending order, 16 bytes each. A recipient's position never changes. */
export type RecipientList = Buffer

const idBytes = 16
const positionBytes = 2
const erased = '\0'.repeat(idBytes)
const muchShorter = 64

export function toRecipientList(ids: readonly string[]): RecipientList {
  const sorted = ids.length === 1 ? ids : [...new Set(ids)].sort()
  const list = Buffer.allocUnsafe(sorted.length * idBytes)
  sorted.forEach((id, position) => {
    writeUuid(list, id, position * idBytes)
  })
  return list
}

export function bytesIn({ buffer }: Binary): Buffer {
  return Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength)
}

export function recipientAt(list: RecipientList, position: number): Buffer {
  return list.subarray(position * idBytes, (position + 1) * idBytes)
}

export function* recipientIdsIn(list: RecipientList): Generator<string> {
  for (let offset = 0; offset < list.length; offset += idBytes) yield bytesToUuid(list, offset)
}

export function positionIn(list: RecipientList, recipient: string | Buffer): number | undefined {
  const id = typeof recipient === 'string' ? uuidToBytes(recipient) : recipient
  for (let at = list.indexOf(id); at >= 0; at = list.indexOf(id, at + 1)) if (at % idBytes === 0) return at / idBytes
  return undefined
}

/** Returns the list with zeros for the recipients at these positions. */
export function withoutRecipients(list: RecipientList, positions: readonly number[]): RecipientList {
  const copy = Buffer.from(list)
  for (const position of positions) recipientAt(copy, position).fill(0)
  return copy
}

/** The positions in `list` of those who are also in `some`; of all of them if `some` is `undefined`. */
export function positionsOf(list: RecipientList, some: RecipientList | undefined): number[] {
  if (some === undefined) return Array.from({ length: list.length / idBytes }, (_, position) => position)
  const positions: number[] = []
  for (let [at, next] = [0, 0]; at < list.length && next < some.length; ) {
    const order = some.compare(list, at, at + idBytes, next, next + idBytes)
    if (order === 0) positions.push(at / idBytes)
    if (order >= 0) at += idBytes
    else next += idBytes
  }
  return positions
}

/** Finds the positions of many lists, most of which are short. */
export function createPositionsIn(list: RecipientList): (some: RecipientList | undefined) => number[] {
  let index: Map<string, number> | undefined
  const keyAt = (ids: RecipientList, position: number) => recipientAt(ids, position).toString('latin1')
  return (some) => {
    if (some === undefined || some.length * muchShorter > list.length) return positionsOf(list, some)
    // Reversed, because all erased ones are equal, and the first id may be zero itself.
    index ??= new Map(
      positionsOf(list, undefined)
        .map((at) => [keyAt(list, at), at] as const)
        .reverse(),
    )
    const positions: number[] = []
    for (let position = 0; position * idBytes < some.length; position++) {
      const key = keyAt(some, position)
      const found = key === erased && position > 0 ? undefined : index.get(key)
      if (found !== undefined) positions.push(found)
    }
    return positions
  }
}

export function encodePositions(positions: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(positions.length * positionBytes)
  positions.forEach((position, index) => {
    bytes.writeUInt16BE(position, index * positionBytes)
  })
  return bytes
}

export function* decodePositions(bytes: Buffer): Generator<number> {
  for (let offset = 0; offset < bytes.length; offset += positionBytes) yield bytes.readUInt16BE(offset)
}
