import { createHash } from 'node:crypto'

const lengthPrefixed = (text: string) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(Buffer.byteLength(text))
  return [length, Buffer.from(text, 'utf8')]
}

/**
 * The id that the contract (section 4) demands for the notification or change entry of an event, derived independently
 * with integer arithmetic: 48 bits of time, version 7, 12 bits of hash, variant 2, 62 bits of hash.
 */
export function derivedId(event: { subscriberid: string; source: string; id: string; time: string }): string {
  const subscriber = Buffer.from(event.subscriberid.replaceAll('-', ''), 'hex')
  const hash = createHash('sha256')
    .update(Buffer.concat([subscriber, ...lengthPrefixed(event.source), ...lengthPrefixed(event.id)]))
    .digest('hex')
  const first74 = BigInt(`0x${hash.slice(0, 19)}`) >> 2n
  const time = BigInt(Math.trunc(Date.parse(event.time)))
  const number = (time << 80n) | (7n << 76n) | ((first74 >> 62n) << 64n) | (2n << 62n) | (first74 & ((1n << 62n) - 1n))
  const hex = number.toString(16).padStart(32, '0')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
