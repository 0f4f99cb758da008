import { headerText, type RecordHeaders } from '@herald/contracts'
import type { OutgoingRecord } from '../events/dead-letter.ts'

/** A dead letter read from its topic. */
export type FoundDeadLetter = {
  /** When it was published. */
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

const ownHeaders = new Set([
  'herald-error-code',
  'herald-error-detail',
  'herald-origin-topic',
  'herald-origin-partition',
  'herald-origin-offset',
  'herald-origin-timestamp',
  'herald-origin-last-offset',
  'herald-value-omitted',
  'herald-headers-omitted',
  'herald-key-omitted',
])

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
    original: { key, value, headers: withoutOwn(headers) },
    omitted: parts.filter((part) => headers[`herald-${part}-omitted`] !== undefined),
  }
}

/** The origin of the record as the command shows it: `topic/partition/offset`. */
export function originOf({ topic, partition, offset }: FoundDeadLetter): string {
  return `${topic}/${partition}/${offset}`
}

function withoutOwn(headers: RecordHeaders): OutgoingRecord['headers'] {
  const others = Object.entries(headers).filter(([name]) => !ownHeaders.has(name))
  return Object.fromEntries(
    others.map(([name, value]) => [name, Array.isArray(value) ? value.map(orEmpty) : orEmpty(value)]),
  )
}

const orEmpty = (value: Buffer | string | null | undefined) => value ?? ''
