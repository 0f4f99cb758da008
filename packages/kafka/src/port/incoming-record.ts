import type { DeadLetterReason, RecordHeaders } from '@herald/contracts'

export type IncomingRecord = {
  readonly topic: string
  readonly partition: number
  readonly offset: string
  /** The broker's timestamp in milliseconds since 1970. */
  readonly timestamp: string
  /** That time, if the broker set it; a publisher's counts for nothing. */
  readonly appendedAt?: number | undefined
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: RecordHeaders
  /** Set when the record could not be read, which makes it a dead letter. */
  readonly readFailure?: ReadFailure
}

export type ReadFailure = {
  readonly code: Extract<DeadLetterReason, 'record_too_large' | 'record_unreadable'>
  readonly detail: string
  /** The last offset of a range that begins with the record's own offset. */
  readonly lastOffset?: string
  /** The sizes in bytes of the missing parts. */
  readonly omitted: { readonly [part in RecordPart]?: number | 'unknown' }
}

export type RecordPart = 'key' | 'value' | 'headers'
