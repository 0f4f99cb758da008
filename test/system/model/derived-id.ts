import { createHash } from 'node:crypto'
import { type Event, source } from './event-publisher.ts'

const bytesOf = (text: string) => {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** The id of the notification or change entry of an event: a UUIDv7 of its time and 74 bits of a hash. */
export function derivedId({ subscriberid, id, time }: Event): string {
  const subscriber = Buffer.from(subscriberid.replaceAll('-', ''), 'hex')
  const hash = createHash('sha256').update(Buffer.concat([subscriber, bytesOf(source), bytesOf(id)]))
  const bits = BigInt(`0x${hash.digest('hex').slice(0, 19)}`) >> 2n
  const [a, b] = [bits >> 62n, bits & ((1n << 62n) - 1n)]
  const hex = (BigInt(Date.parse(time)) << 80n) | (7n << 76n) | (a << 64n) | (2n << 62n) | b
  return hex
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
