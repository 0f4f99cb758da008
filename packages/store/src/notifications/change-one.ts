import {
  type Filter,
  MongoServerSelectionError,
  MongoWriteConcernError,
  type UpdateFilter,
  WriteConcern,
} from 'mongodb'
import { withReusedSession } from '../connection/reused-sessions.ts'
import type { Source } from '../reading/find-bytes.ts'
import { asBuffer } from '../wire/bson.ts'

/**
 * Updates the document that matches and returns its new bytes; `null` if none matches.
 *
 * Sends `findAndModify` as a command that cannot be retried by its transaction number: for one that can, MongoDB writes a
 * record of the transaction and the new document once more, a sixth of its work. If the command fails, the driver's retryable
 * operation repeats it, so the filter must not match a document that was updated.
 */
export async function changeOne<T extends object>(
  { database, collection }: Source<T>,
  where: Filter<T>,
  update: UpdateFilter<T>,
): Promise<Buffer | null> {
  const command = { findAndModify: collection.collectionName, query: where, update, new: true }
  const { writeConcern } = collection
  if (writeConcern) WriteConcern.apply(command, writeConcern)
  try {
    const { value } = await withReusedSession(database.client, (session) =>
      database.command(command, { raw: true, session }),
    )
    return value ? asBuffer(value) : null
  } catch (error) {
    // The driver would not retry these either.
    if (error instanceof MongoWriteConcernError || error instanceof MongoServerSelectionError) throw error
    const found = await withReusedSession(database.client, (session) =>
      collection.findOneAndUpdate(where, update, { returnDocument: 'after', raw: true, session }),
    )
    return found ? asBuffer(found as unknown as Uint8Array) : null
  }
}
