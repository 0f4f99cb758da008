import { setTimeout as sleep } from 'node:timers/promises'
import { Binary, type Collection, type Document } from 'mongodb'
import { runWrite } from '../connection/run-command.ts'
import { StorageUnavailableError } from '../connection/storage-errors.ts'
import { inBatches } from '../keys/batches.ts'
import { attempt, sum, type WriteOutcome } from './write-each.ts'

/** The outcome for each document: inserted, stored before, or refused for good. */
export type InsertOutcome<T> = Pick<WriteOutcome<T>, 'inserted' | 'duplicates' | 'refused'>

/** Driver and server accept more, but all documents of an insert are serialized before the first byte is sent. */
const documentsPerInsert = 1_000

/** The bytes of an insert, and what happens between one that took so long and the next. */
export type Pace = { readonly bytes: number; readonly pause?: (tookMs: number) => Promise<unknown> }

const fast: Pace = { bytes: 2 * 1024 * 1024 }

/** A pause is short, so that a user's 15 MB are still stored within seconds. */
const longestPauseMs = 100

/** Leaves MongoDB and the processors to others for as long as an operation of one user took: half of the time. */
export const leaveToOthers = (tookMs: number): Promise<void> => sleep(Math.min(tookMs, longestPauseMs))

/** The pace for the notification of one user: the small writes of others wait behind a small insert. */
export const considerate: Pace = { bytes: 256 * 1024, pause: leaveToOthers }

/**
 * Inserts new documents and leaves existing ones unchanged, so a redelivered event never resets a read state. Returns
 * once the outcome of every document is known and durable on a majority.
 *
 * @throws StorageUnavailableError if the outcome of a document is unknown; retrying is safe
 */
export async function insertNew<T extends Document>(
  collection: Collection<T>,
  documents: Iterable<T>,
  { bytes, pause }: Pace = fast,
): Promise<InsertOutcome<T>> {
  const outcomes: WriteOutcome<T>[] = []
  let tookMs = 0
  for (const batch of inBatches(documents, documentsPerInsert, { bytes, sizeOf: approximateSize })) {
    if (outcomes.length > 0) await pause?.(tookMs)
    const startedAt = performance.now()
    const outcome = await attempt(batch, (some) => insert(collection, some))
    if (outcome.inserted + outcome.duplicates + outcome.refused.length < batch.length)
      throw new StorageUnavailableError(`MongoDB confirmed ${outcome.inserted} of ${batch.length} documents`)
    outcomes.push(outcome)
    tookMs = performance.now() - startedAt
  }
  const { inserted, duplicates, refused } = sum(outcomes)
  return { inserted, duplicates, refused }
}

/**
 * As a command, because the driver's bulk inserts take a third more processor time for each document. It may be sent twice,
 * and then what the first one inserted counts as duplicates, as after a restart.
 */
async function insert<T extends Document>(collection: Collection<T>, documents: readonly T[]) {
  const command = { insert: collection.collectionName, documents, ordered: false }
  const { n, writeErrors } = await runWrite(collection, command, { ignoreUndefined: true })
  return { insertedCount: n, writeErrors }
}

/** The size in BSON without the names of fields; exact figures would take as long as serializing. */
function approximateSize(document: Document): number {
  let size = 0
  for (const name in document) {
    const value = document[name]
    if (typeof value === 'string') size += value.length
    else if (value instanceof Binary) size += value.position
    else size += 8
  }
  return size
}
