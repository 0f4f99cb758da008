import type { DeadLetterReason } from '@herald/contracts'
import type { IncomingRecord } from '@herald/kafka'

/** The result of processing a record: stored, skipped as expired or because it makes no entry, or the code of its dead letter. */
export type RecordOutcome = 'stored' | 'expired' | 'skipped' | DeadLetterReason

export type HandledRecord = {
  readonly record: IncomingRecord
  readonly outcome: RecordOutcome
  readonly traceparent: string | undefined
}

export function isDeadLetter(outcome: RecordOutcome): outcome is DeadLetterReason {
  return outcome !== 'stored' && outcome !== 'expired' && outcome !== 'skipped'
}
