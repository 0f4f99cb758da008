/** Reasons why a record can never be processed: the values of the header `herald-error-code` of a dead letter. */
export const deadLetterReasons = {
  record_too_large:
    'The value is over 1 MiB, the record over 8 MiB, or a captured change has a key over 16 KiB or over 20,000 members',
  record_unreadable: 'The record, or several in a row, cannot be decompressed or decoded',
  not_cloudevent: 'The record is not a CloudEvent in structured or binary mode',
  not_json: 'The value is not UTF-8 encoded JSON',
  unsafe_json: 'The JSON contains a key, number, string or depth that cannot be stored',
  invalid_attributes: 'A required CloudEvents attribute is missing or invalid',
  unknown_type: 'The event type does not belong on this topic',
  invalid_data: 'The data does not match the schema of the event type',
  future_time: 'The time of the event is more than 5 minutes ahead of all clocks',
  unmatched_receipt: 'No notification arrived for the receipt within 10 minutes',
  row_unreadable: 'The captured change is not a Debezium envelope that Herald can read',
  before_missing: 'The captured change lacks a complete state of the row; the detail names the setting of the database',
  time_missing: 'The captured change has no time, neither in its source nor in its envelope',
  key_missing: 'The captured change has neither a key nor a position in its transaction',
  transaction_order_missing: 'The captured change is part of a MongoDB transaction and has no position in it',
  subscriber_missing: 'The row of the captured change does not contain the subscriber’s UUID',
  user_missing: 'The row of the captured change does not contain the user’s id',
  mapping_failed: 'The row of the captured change does not fit the mapping of its topic',
  too_many_changes:
    'The captured change affects more than 200 fields, or its entries would repeat more than 64 KiB of mapped texts',
  undecidable: 'Herald failed to process the record; replay it once the defect is fixed',
  refused_by_storage: 'MongoDB permanently rejects the document',
} as const satisfies Record<string, string>

export type DeadLetterReason = keyof typeof deadLetterReasons
