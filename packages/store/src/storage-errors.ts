import { BSON, type Document, MongoError, MongoInvalidArgumentError, MongoServerError } from 'mongodb'

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

/** Why the server refuses a document with this code and no retry can help; `undefined` when a retry may. */
export function refusalOfCode(code: unknown): string | undefined {
  return refusals.get(code)
}

const maxDocumentBytes = 16 * 1024 * 1024

/** Why a document can't even be sent: it has no form in BSON, or too large a one. */
export function refusalOfDocument(document: Document): string | undefined {
  try {
    const size = BSON.serialize(document).length
    return size > maxDocumentBytes ? `${size} bytes of BSON, ${maxDocumentBytes} are allowed` : undefined
  } catch (error) {
    return error instanceof Error ? error.message : 'No form in BSON'
  }
}

/** Whether `error` says that MongoDB can't be asked now: for a client it is 503, not a fault of Herald's. */
export function isStorageUnavailable(error: unknown): boolean {
  if (error instanceof StorageUnavailableError) return true
  if (error instanceof MongoServerError) return refusalOfCode(error.code) === undefined
  return error instanceof MongoError && !(error instanceof MongoInvalidArgumentError)
}
