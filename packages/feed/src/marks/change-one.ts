import { asBuffer, runWrite } from '@herald/mongo'
import type { Collection, Document, Filter, UpdateFilter } from 'mongodb'

/**
 * Updates the document that matches and returns its new bytes; `null` if none matches. It may be sent twice, so the second must
 * change nothing that is shown. Not as a write that the driver retries by its transaction number: for those, MongoDB
 * writes a record of the transaction and the new document once more, a sixth of its work.
 */
export async function changeOne<T extends object>(
  collection: Collection<T>,
  query: Filter<T>,
  update: UpdateFilter<T> | Document[],
): Promise<Buffer | null> {
  const command = { findAndModify: collection.collectionName, query, update, new: true }
  const { value } = await runWrite(collection, command, { raw: true })
  return value ? asBuffer(value) : null
}
