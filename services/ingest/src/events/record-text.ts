import type { RecordHeaders } from '@herald/contracts'
import type { IncomingRecord } from '@herald/kafka'

type HeaderEntry = readonly [name: string, value: string | null]

const toBase64 = (bytes: Buffer | string | null | undefined) =>
  bytes === null || bytes === undefined ? null : Buffer.from(bytes).toString('base64')
const fromBase64 = (text: string | null) => (text === null ? null : Buffer.from(text, 'base64'))

function* headerEntries(headers: RecordHeaders): Generator<HeaderEntry> {
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value]) yield [name, toBase64(one)]
  }
}

/** Serializes a record without loss, for receipts that wait in MongoDB and may be sent back to Kafka. */
export function toRecordText({ key, value, headers, ...place }: IncomingRecord): string {
  return JSON.stringify({ ...place, key: toBase64(key), value: toBase64(value), headers: [...headerEntries(headers)] })
}

export function fromRecordText(text: string): IncomingRecord {
  const { key, value, headers, ...place } = JSON.parse(text)
  // A map, because an object inherits properties such as `constructor`.
  const byName = Map.groupBy(headers as HeaderEntry[], ([name]) => name)
  const collected = [...byName].map(([name, all]) => [name, all.map(([, header]) => fromBase64(header) ?? '')])
  return { ...place, key: fromBase64(key), value: fromBase64(value), headers: Object.fromEntries(collected) }
}
