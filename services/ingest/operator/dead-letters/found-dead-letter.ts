import { headerText, type RecordHeaders } from '@herald/contracts'
import type { OutgoingRecord } from '#ingest/port/outgoing-record'
import { fromLetterHeaders } from '#ingest/produce/dead-letter-headers'

export type FoundDeadLetter = {
  readonly time: Date
  readonly code: string
  readonly detail: string
  readonly topic: string
  readonly partition: number
  readonly offset: string
  /** The original record, without Herald's own headers. */
  readonly original: OutgoingRecord
  /** Parts of the original record that are missing here: `value`, `headers`, `key`. */
  readonly omitted: readonly string[]
}

const parts = ['value', 'headers', 'key'] as const

type Found = { key: Buffer | null; value: Buffer | null; timestamp: string; headers: RecordHeaders }

export function toFoundDeadLetter({ key, value, timestamp, headers }: Found): FoundDeadLetter {
  const text = (name: string) => headerText(headers, name) ?? ''
  return {
    time: new Date(Number(timestamp)),
    code: text('herald-error-code'),
    detail: text('herald-error-detail'),
    topic: text('herald-origin-topic'),
    partition: Number(text('herald-origin-partition')),
    offset: text('herald-origin-offset'),
    original: { key, value, headers: fromLetterHeaders(headers) },
    omitted: parts.filter((part) => headers[`herald-${part}-omitted`] !== undefined),
  }
}

/** The origin of the record as the command shows it: `topic/partition/offset`. */
export function originOf({ topic, partition, offset }: FoundDeadLetter): string {
  return `${topic}/${partition}/${offset}`
}
