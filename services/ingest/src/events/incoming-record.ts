import type { FaultCode, RecordHeaders } from '@herald/contracts'

/** A record as it lies in Kafka: bytes, and where they came from. */
export type IncomingRecord = {
  readonly topic: string
  readonly partition: number
  readonly offset: string
  /** Milliseconds since 1970, as the broker has it. */
  readonly timestamp: string
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: RecordHeaders
  /** Set when the record could not be read, and is a dead letter for that. */
  readonly passedOver?: PassedOver
}

/** Why a record could not be read, or several in a row, and what is known of it. */
export type PassedOver = {
  readonly code: Extract<FaultCode, 'record_too_large' | 'record_unreadable'>
  readonly detail: string
  /** The last of several records in a row, of which the record's own offset is the first. */
  readonly lastOffset?: string
  /** The parts that are missing, by their bytes. */
  readonly omitted: { readonly [part in RecordPart]?: number | 'unknown' }
}

export type RecordPart = 'key' | 'value' | 'headers'
