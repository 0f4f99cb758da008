import { headerText, type RecordHeaders } from '@herald/contracts'
import { fromLetterHeaders } from '#ingest/produce/dead-letter-headers'

export type FoundDeadLetter = ReturnType<typeof toFoundDeadLetter>

const parts = ['value', 'headers', 'key'] as const

type Found = { key: Buffer | null; value: Buffer | null; timestamp: string; headers: RecordHeaders }

export function toFoundDeadLetter({ key, value, timestamp, headers }: Found) {
  const text = (name: string) => headerText(headers, name) ?? ''
  return {
    time: new Date(Number(timestamp)),
    code: text('herald-error-code'),
    detail: text('herald-error-detail'),
    topic: text('herald-origin-topic'),
    partition: Number(text('herald-origin-partition')),
    offset: text('herald-origin-offset'),
    /** The original record, without Herald's own headers. */
    original: { key, value, headers: fromLetterHeaders(headers) },
    /** Parts of the original record that are missing here. */
    omitted: parts.filter((part) => headers[`herald-${part}-omitted`] !== undefined),
  }
}

/** The origin of the record as the command shows it: `topic/partition/offset`. */
export function originOf({ topic, partition, offset }: FoundDeadLetter): string {
  return `${topic}/${partition}/${offset}`
}
