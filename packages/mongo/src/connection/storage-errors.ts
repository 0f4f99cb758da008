import { BSON, type Document, MongoError, MongoInvalidArgumentError, MongoServerError } from 'mongodb'

export const duplicateKey = 11_000

export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === duplicateKey
}

/** MongoDB was unreachable or did not acknowledge a write: the outcome is unknown, and retrying may help. */
export class StorageUnavailableError extends Error {
  override readonly name: string = 'StorageUnavailableError'
}

/**
 * Error codes with which MongoDB permanently refuses the content of a document. All others, including unknown ones,
 * count as transient: retrying a record for too long is a nuisance, giving one up is a loss.
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
  // An update whose result would be too large has these.
  [17419, 'DocumentTooLarge'],
  [17420, 'DocumentTooLarge'],
])

/** Why the server permanently refuses a document with this code; `undefined` if a retry may help. */
export function refusalOfCode(code: unknown): string | undefined {
  return refusals.get(code)
}

const maxDocumentBytes = 16 * 1024 * 1024

/** Why a document cannot be sent: BSON cannot represent it, or it is too large. */
export function refusalOfDocument(document: Document): string | undefined {
  try {
    const size = BSON.serialize(document).length
    return size > maxDocumentBytes ? `${size} bytes of BSON exceed the limit of ${maxDocumentBytes}` : undefined
  } catch (error) {
    return error instanceof Error ? error.message : 'Cannot be represented in BSON'
  }
}

/** Whether MongoDB has ended an operation that took too long, which it may do again. */
export const hasTakenTooLong = (error: unknown) => error instanceof MongoServerError && error.code === 50

/** Whether `error` means that MongoDB is unavailable; clients get a 503 then. */
export function isStorageUnavailable(error: unknown): boolean {
  if (error instanceof StorageUnavailableError) return true
  if (error instanceof MongoServerError) return refusalOfCode(error.code) === undefined
  return error instanceof MongoError && !(error instanceof MongoInvalidArgumentError)
}
