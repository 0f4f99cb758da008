import { MongoBulkWriteError, MongoError, MongoServerError } from 'mongodb'

/** MongoDB could not be asked, or did not confirm: nothing is known of the outcome, and trying again may help. */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError'
}

/**
 * Codes with which MongoDB refuses one document for what it is, whenever it is tried. Everything else, a code that nobody
 * has met included, counts as passing: a record that waits too long is a nuisance, one that is given up is a loss.
 */
const refusals = new Map<unknown, string>([
  [2, 'BadValue'],
  [9, 'FailedToParse'],
  [14, 'TypeMismatch'],
  [15, 'Overflow'],
  [22, 'InvalidBSON'],
  [52, 'DollarPrefixedFieldName'],
  [57, 'DottedFieldName'],
  [121, 'DocumentValidationFailure'],
  [10334, 'BSONObjectTooLarge'],
  [17280, 'KeyTooLong'],
])

/** The refusals that come from BSON in this process, before anything was sent. */
const clientRefusals = new Set(['BSONError', 'BSONVersionError', 'BSONRuntimeError', 'RangeError', 'TypeError'])

/** Why `error` is about the document itself and no retry can help; `undefined` when a retry may. */
export function refusalReason(error: unknown): string | undefined {
  if (error instanceof MongoServerError) return refusals.get(error.code)
  if (error instanceof MongoError) return error.name === 'MongoInvalidArgumentError' ? error.message : undefined
  return error instanceof Error && clientRefusals.has(error.name) ? error.message : undefined
}

/** The refusal that belongs to the code of one write error of a bulk. */
export function refusalOfCode(code: unknown): string | undefined {
  return refusals.get(code)
}

/** Whether `error` says that MongoDB can't be asked now: for a client it is 503, not a fault of Herald's. */
export function isStorageUnavailable(error: unknown): boolean {
  if (error instanceof StorageUnavailableError) return true
  return error instanceof MongoError && !(error instanceof MongoBulkWriteError) && refusalReason(error) === undefined
}
