import type { Collection, Document, OptionalUnlessRequiredId } from 'mongodb'
import { MongoBulkWriteError, MongoError, MongoInvalidArgumentError, MongoServerError } from 'mongodb'
import { duplicateKey, refusalOfCode, refusalOfDocument, StorageUnavailableError } from './storage-errors.ts'

/** The outcome for each document: inserted, stored before, or refused for good. */
export type InsertOutcome<T> = {
  readonly inserted: number
  readonly duplicates: number
  readonly refused: readonly { readonly document: T; readonly reason: string }[]
}

/** Driver and server accept more, but all documents of an insert are serialized before the first byte is sent. */
const documentsPerInsert = 1_000

function* inBatches<T>(items: Iterable<T>): Generator<T[]> {
  let batch: T[] = []
  for (const item of items) {
    batch.push(item)
    if (batch.length === documentsPerInsert) {
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}

/**
 * Inserts new documents and leaves existing ones unchanged, so a redelivered event never resets a read state. Returns
 * once the outcome of every document is known and durable on a majority.
 *
 * @throws StorageUnavailableError if the outcome of a document is unknown; retrying is safe
 */
export async function insertNew<T extends Document>(
  collection: Collection<T>,
  documents: Iterable<T>,
): Promise<InsertOutcome<T>> {
  const outcomes: InsertOutcome<T>[] = []
  for (const batch of inBatches(documents)) outcomes.push(await insertBatch(collection, batch))
  return sum(outcomes)
}

function sum<T>(outcomes: readonly InsertOutcome<T>[]): InsertOutcome<T> {
  return {
    inserted: outcomes.reduce((total, outcome) => total + outcome.inserted, 0),
    duplicates: outcomes.reduce((total, outcome) => total + outcome.duplicates, 0),
    refused: outcomes.flatMap((outcome) => outcome.refused),
  }
}

async function insertBatch<T extends Document>(collection: Collection<T>, batch: T[]): Promise<InsertOutcome<T>> {
  try {
    const { insertedCount } = await collection.insertMany(batch as OptionalUnlessRequiredId<T>[], { ordered: false })
    if (insertedCount === batch.length) return { inserted: insertedCount, duplicates: 0, refused: [] }
    throw new StorageUnavailableError(`MongoDB confirmed ${insertedCount} of ${batch.length} documents`)
  } catch (error) {
    const outcome = error instanceof MongoBulkWriteError ? accountFor(error, batch) : undefined
    if (outcome) return outcome
    if (!mayBeOfOneDocument(error)) throw asUnavailable(error)
    // One document may fail the batch without being named: bisect until it is found, so that only it is refused.
    const [only] = batch
    if (batch.length === 1 && only) {
      const reason = refusalOf(error, only)
      if (reason === undefined) throw asUnavailable(error)
      return { inserted: 0, duplicates: 0, refused: [{ document: only, reason }] }
    }
    const middle = Math.ceil(batch.length / 2)
    return sum([
      await insertBatch(collection, batch.slice(0, middle)),
      await insertBatch(collection, batch.slice(middle)),
    ])
  }
}

/**
 * The outcome of each document according to a bulk error. An empty list of write errors says nothing about them (a
 * document nested too deeply and a write-concern timeout both look like this, with nothing stored), hence `undefined`.
 */
function accountFor<T>(error: MongoBulkWriteError, batch: readonly T[]): InsertOutcome<T> | undefined {
  if (error.result.getWriteConcernError()) throw asUnavailable(error)
  const writeErrors = [error.writeErrors].flat()
  if (writeErrors.length === 0) return undefined
  const refused = writeErrors.filter(({ code }) => code !== duplicateKey)
  const reasons = refused.map(({ index, code, errmsg }) => {
    const reason = refusalOfCode(code)
    if (reason === undefined) throw asUnavailable(error)
    return { document: batch[index] as T, reason: `${reason}: ${errmsg ?? ''}` }
  })
  const inserted = batch.length - writeErrors.length
  if (error.insertedCount !== inserted) throw asUnavailable(error)
  return { inserted, duplicates: writeErrors.length - refused.length, refused: reasons }
}

/** The server refused the content of a document, or the client failed before it sent anything. */
function mayBeOfOneDocument(error: unknown): boolean {
  if (error instanceof MongoServerError) return refusalOfCode(error.code) !== undefined
  return !(error instanceof MongoError) || error instanceof MongoInvalidArgumentError
}

/** A client error counts as a refusal only if the document reproduces it; otherwise it may be a bug in the driver. */
function refusalOf(error: unknown, document: Document): string | undefined {
  return error instanceof MongoServerError ? refusalOfCode(error.code) : refusalOfDocument(document)
}

function asUnavailable(cause: unknown): StorageUnavailableError {
  if (cause instanceof StorageUnavailableError) return cause
  return new StorageUnavailableError('MongoDB did not confirm the write', { cause })
}
