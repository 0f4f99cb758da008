import type { Collection, Document, OptionalUnlessRequiredId } from 'mongodb'
import { MongoBulkWriteError, MongoError, MongoInvalidArgumentError, MongoServerError } from 'mongodb'
import { refusalOfCode, refusalOfDocument, StorageUnavailableError } from './storage-errors.ts'

/** What became of the documents: each is stored now, was there before, or can never be. */
export type InsertOutcome<T> = {
  readonly inserted: number
  readonly duplicates: number
  readonly refused: readonly { readonly document: T; readonly reason: string }[]
}

const duplicateKey = 11_000
/** Driver and server take more at once, but all of it is serialised before the first byte is sent. */
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
 * Inserts what is not there yet and leaves what is there alone: a redelivered event never resets what was read since.
 * Returns only when every document is accounted for, durable on a majority.
 *
 * @throws StorageUnavailableError when that can't be said of all of them; asking again is safe
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
    // One document may spoil the batch, and nothing tells which: half by half it is found, and it alone is refused.
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
 * What a bulk error says of each document. An empty list of write errors says nothing at all (a document nested too deeply
 * and a write-concern time-out both look so, with nothing stored), hence `undefined`.
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

/** The server refused something for what it is, or the client failed before it could send anything. */
function mayBeOfOneDocument(error: unknown): boolean {
  if (error instanceof MongoServerError) return refusalOfCode(error.code) !== undefined
  return !(error instanceof MongoError) || error instanceof MongoInvalidArgumentError
}

/** A failure of the client's is believed only when the document alone brings it about: it might be a fault of the driver. */
function refusalOf(error: unknown, document: Document): string | undefined {
  return error instanceof MongoServerError ? refusalOfCode(error.code) : refusalOfDocument(document)
}

function asUnavailable(cause: unknown): StorageUnavailableError {
  if (cause instanceof StorageUnavailableError) return cause
  return new StorageUnavailableError('MongoDB did not confirm the write', { cause })
}
