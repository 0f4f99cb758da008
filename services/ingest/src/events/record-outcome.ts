import type { DeadLetterReason } from '@herald/contracts'

/** The result of processing a record: stored, skipped as expired or because it makes no entry, or the code of its dead letter. */
export type RecordOutcome = 'stored' | 'expired' | 'skipped' | DeadLetterReason

/** Whether the record was sent to the dead-letter topic. */
export function isDeadLetter(outcome: RecordOutcome): outcome is DeadLetterReason {
  return outcome !== 'stored' && outcome !== 'expired' && outcome !== 'skipped'
}
