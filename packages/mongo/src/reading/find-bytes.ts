import type { Collection, Db, Document, Filter } from 'mongodb'
import { runCommand } from '../connection/run-command.ts'
import { asBuffer, documentsAt, inputOf } from '../json/bson.ts'
import { createOffsetReader } from '../json/field-offsets.ts'
import { userReads } from './read-limits.ts'

/** Documents as bytes. `isCut` means that more documents match than fit into one response of MongoDB (16 MiB). */
export type FoundBytes = { readonly documents: Buffer[]; readonly isCut: boolean }

/**
 * Returns, for a user, the newest documents of an index range: `size` of them, or as many as MongoDB puts into one response. One command
 * takes half the processor time of the driver's cursor, which parses every document, for a page of 20.
 */
export async function findBytes<T extends object>(
  { collectionName: find, db }: Collection<T>,
  indexed: Filter<T>,
  size: number,
  options: { readonly hint?: string; readonly projection?: Document } = {},
): Promise<FoundBytes> {
  return runForBytes(
    db,
    { find, filter: indexed, sort: { _id: -1 }, limit: size, batchSize: size, ...userReads, ...options },
    find,
  )
}

/** Returns the first batch of a command's cursor, which is closed. `name` is the collection of the cursor. */
export async function runForBytes(database: Db, command: Document, name: string): Promise<FoundBytes> {
  const { cursor } = await runCommand(database, command, { raw: true })
  const input = inputOf(asBuffer(cursor))
  const [batchAt, idAt] = readCursor(input, cursor.byteOffset) as [number, number]
  const cursorId = input.bytes.readBigInt64LE(idAt)
  const isCut = cursorId !== 0n
  if (isCut) await runCommand(database, { killCursors: name, cursors: [cursorId] })
  return { documents: documentsAt(input.bytes, batchAt), isCut }
}

/** The cursor in a response: https://www.mongodb.com/docs/v6.0/reference/command/find/#output */
const readCursor = createOffsetReader(['firstBatch', 'id'])
