/** Reasons why a record can never be processed: the values of the header `herald-error-code` of a dead letter. */
export const deadLetterReasons = {
  record_too_large: 'The value is larger than 1 MiB, or the record larger than 8 MiB',
  record_unreadable: 'The record, or several in a row, cannot be decompressed or decoded',
  not_cloudevent: 'The record is not a CloudEvent in structured or binary mode',
  not_json: 'The value is not UTF-8 encoded JSON',
  unsafe_json: 'The JSON contains a key, number, string or depth that cannot be stored',
  invalid_attributes: 'A required CloudEvents attribute is missing or invalid',
  unknown_type: 'The event type does not belong on this topic',
  invalid_data: 'The data does not match the schema of the event type',
  future_time: 'The time of the event is more than 5 minutes in the future',
  unmatched_receipt: 'No notification arrived for the receipt within 10 minutes',
  undecidable: 'Herald failed to process the record; replay it once the defect is fixed',
  refused_by_storage: 'MongoDB permanently rejects the document',
} as const satisfies Record<string, string>

/** A code of {@link deadLetterReasons}. */
export type DeadLetterReason = keyof typeof deadLetterReasons
