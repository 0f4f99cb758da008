import { bytesToUuid, uuidToBytes, writeUuid } from '@herald/contracts'
import type { Binary } from 'mongodb'

/** Recipients in ascending order, 16 bytes each. A recipient's position never changes. */
export type RecipientList = Buffer

const idBytes = 16
const positionBytes = 2

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

export function positionIn(list: RecipientList, recipientId: string): number | undefined {
  const id = uuidToBytes(recipientId)
  for (let at = list.indexOf(id); at >= 0; at = list.indexOf(id, at + 1)) if (at % idBytes === 0) return at / idBytes
  return undefined
}

/** The same list with zeros for those at these positions. */
export function withoutRecipients(list: RecipientList, positions: readonly number[]): RecipientList {
  const copy = Buffer.from(list)
  for (const position of positions) recipientAt(copy, position).fill(0)
  return copy
}

/** The positions in `list` of those who are also in `some`; of all of them if `some` is `undefined`. */
export function positionsOf(list: RecipientList, some: RecipientList | undefined): number[] {
  const positions: number[] = []
  let next = 0
  for (let position = 0; position * idBytes < list.length; position++) {
    if (some === undefined) {
      positions.push(position)
      continue
    }
    const recipient = recipientAt(list, position)
    let order = -1
    while (next * idBytes < some.length) {
      order = recipientAt(some, next).compare(recipient)
      if (order >= 0) break
      next++
    }
    if (order === 0) positions.push(position)
  }
  return positions
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
