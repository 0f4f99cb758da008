import type { RecordHeaders } from '@herald/contracts'

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
}
