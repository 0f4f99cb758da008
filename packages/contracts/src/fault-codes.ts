/** Why a record can never succeed: the values of the header `herald-error-code` on a dead letter. */
export const faultCodes = {
  record_too_large: 'The value is larger than 1 MiB',
  not_cloudevent: 'The record is no CloudEvent in structured or binary mode',
  not_json: 'The value is not JSON in UTF-8',
  unsafe_json: 'The JSON has a key, a number, a text or a depth that cannot be kept',
  invalid_attributes: 'A required CloudEvents attribute is missing or not valid',
  unknown_type: 'The event type does not belong on this topic',
  invalid_data: 'The data does not fit the schema of its event type',
  future_time: 'The event is more than 5 minutes in the future',
  unmatched_receipt: 'No notification came for the receipt within 10 minutes',
  undecidable: 'Herald failed at the record; it can be replayed once that is mended',
  refused_by_storage: 'MongoDB refuses the document, whenever it is tried',
} as const satisfies Record<string, string>

/** A code of {@link faultCodes}. */
export type FaultCode = keyof typeof faultCodes
