import type { RecordHeaders } from '@herald/contracts'
import { type FaultCode, limits } from '@herald/contracts'
import type { IncomingRecord } from './incoming-record.ts'

/** A record that cannot be processed, and why. */
export type DeadLetter = {
  readonly record: IncomingRecord
  readonly code: FaultCode
  readonly detail: string
  /** The trace of the event, which may stand in its attributes alone. */
  readonly traceparent?: string | undefined
}

/** Where dead letters go. Resolves when all of them are durable; throws when that can't be said, and may be asked again. */
export type DeadLetters = { publish(letters: readonly DeadLetter[]): Promise<void> }

/** A record that can be produced: kafkajs can't write a header without a value. */
export type OutgoingRecord = {
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: Record<string, Buffer | string | (Buffer | string)[]>
}

/** The dead letter in its topic's form: key, value and headers as they came, and Herald's own headers beside them. */
export function toOutgoingRecord({ record, code, detail, traceparent }: DeadLetter): OutgoingRecord {
  return {
    key: record.key,
    value: record.value,
    headers: {
      ...(traceparent === undefined ? {} : { traceparent }),
      ...writableHeaders(record.headers),
      'herald-error-code': code,
      'herald-error-detail': cutToBytes(detail, limits.deadLetterDetailBytes),
      'herald-origin-topic': record.topic,
      'herald-origin-partition': String(record.partition),
      'herald-origin-offset': record.offset,
      'herald-origin-timestamp': record.timestamp,
    },
  }
}

/** The same without its value, for a topic that takes no record as large as this one. */
export function withoutValue({ key, value, headers }: OutgoingRecord): OutgoingRecord {
  return { key, value: null, headers: { ...headers, 'herald-value-omitted': String(value?.length ?? 0) } }
}

function writableHeaders(headers: RecordHeaders): OutgoingRecord['headers'] {
  const writable = (value: Buffer | string | null | undefined) => value ?? ''
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(writable) : writable(value),
    ]),
  )
}

/** At most `max` bytes of UTF-8, never half a character. */
function cutToBytes(text: string, max: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= max) return text
  let end = max
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}
