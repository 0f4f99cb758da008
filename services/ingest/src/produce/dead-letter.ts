import { type DeadLetterReason, limits } from '@herald/contracts'
import { batchBytesOf, headerBytesOf, type IncomingRecord, type OutgoingRecord, type RecordPart } from '@herald/kafka'
import { toLetterHeaders } from './dead-letter-headers.ts'

export type DeadLetter = {
  readonly record: IncomingRecord
  readonly code: DeadLetterReason
  readonly detail: string
  /** The trace of the event, which may be in its attributes only. */
  readonly traceparent?: string | undefined
}

/** Publishes dead letters. Resolves when all are durable; throws when that is unknown, and can then be retried. */
export type DeadLetters = { publish(letters: readonly DeadLetter[]): Promise<void> }

/** The order in which parts are omitted from a record that is too large for the topic. */
const parts: readonly RecordPart[] = ['value', 'headers', 'key']
const longestTraceparent = 128

/**
 * Converts a dead letter to a record with the original key, value and headers plus Herald's own headers.
 *
 * @param maxBytes the largest batch that the topic accepts. From a larger letter the value is omitted, then the headers,
 *   then the key, each with its size in a header `herald-…-omitted`
 */
export function toOutgoingRecord(letter: DeadLetter, maxBytes = Number.POSITIVE_INFINITY): OutgoingRecord {
  let outgoing = without(letter, 0)
  for (let count = 1; count <= parts.length && batchBytesOf(outgoing) > maxBytes; count++) {
    outgoing = without(letter, count)
  }
  return outgoing
}

/** Omits one more part of the dead letter; returns `undefined` when none is left. */
export function toSmallerRecord(letter: DeadLetter, { headers }: OutgoingRecord): OutgoingRecord | undefined {
  const next = parts.findIndex((part) => bytesOf(letter.record, part) > 0 && headers[omittedHeader(part)] === undefined)
  return next < 0 ? undefined : without(letter, next + 1)
}

const omittedHeader = (part: RecordPart) => `herald-${part}-omitted`

function without({ record, code, detail, traceparent }: DeadLetter, count: number): OutgoingRecord {
  const { key, value, headers, topic, partition, offset, timestamp, readFailure } = record
  const left = new Set(parts.slice(0, count).filter((part) => bytesOf(record, part) > 0))
  const isTraceKept = traceparent !== undefined && traceparent.length <= longestTraceparent
  return {
    key: left.has('key') ? null : key,
    value: left.has('value') ? null : value,
    headers: {
      ...(isTraceKept ? { traceparent } : {}),
      ...(left.has('headers') ? {} : toLetterHeaders(headers)),
      'herald-error-code': code,
      'herald-error-detail': cutToBytes(detail, limits.deadLetterDetailBytes),
      'herald-origin-topic': topic,
      'herald-origin-partition': String(partition),
      'herald-origin-offset': offset,
      ...(readFailure?.lastOffset === undefined ? {} : { 'herald-origin-last-offset': readFailure.lastOffset }),
      'herald-origin-timestamp': timestamp,
      ...Object.fromEntries(
        Object.entries(readFailure?.omitted ?? {}).map(([part, bytes]) => [
          omittedHeader(part as RecordPart),
          String(bytes),
        ]),
      ),
      ...Object.fromEntries([...left].map((part) => [omittedHeader(part), String(bytesOf(record, part))])),
    },
  }
}

function bytesOf({ key, value, headers }: Pick<IncomingRecord, RecordPart>, part: RecordPart): number {
  if (part === 'headers') return headerBytesOf(headers, 0)
  return (part === 'key' ? key : value)?.length ?? 0
}

/** A stream may continue, so the decoder leaves out a character that the cut would split. */
function cutToBytes(text: string, max: number): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(text).subarray(0, max), { stream: true })
}
