import { type Collection, type Db, type Filter, MongoServerError, MongoServerSelectionError } from 'mongodb'
import { createDocumentReader, elementsOfArray } from './document-reader.ts'
import { readLimits } from './read-limits.ts'
import { withReusedSession } from './reused-sessions.ts'

/** A collection, and the database to which commands about it go. */
export type Source<T extends object> = { readonly database: Db; readonly collection: Collection<T> }

type Batch = { documents: Buffer[]; cursorId: bigint }

const maxTimeExpired = 50
/** Up to so many documents the cursor is most of the work. Of larger answers V8 would let many lie before it collects them. */
const mostAtOnce = 200

/** Documents as their bytes. `isCut` says that more follow which did not fit into one answer of MongoDB (16 MiB). */
export type FoundBytes = { readonly documents: Buffer[]; readonly isCut: boolean }

/**
 * The newest documents of a range that an index serves, each as its bytes: `size` of them, or as many as MongoDB puts into
 * one answer.
 *
 * It is one `find` command without the driver's cursor around it, which takes half the processor time: a page of 20 is
 * little work beside a cursor. Commands are not tried again, as reads are after a failover. So one that fails goes the
 * driver's own way.
 */
export async function findBytes<T extends object>(
  { database, collection }: Source<T>,
  indexed: Filter<T>,
  size: number,
): Promise<FoundBytes> {
  if (size > mostAtOnce) return findByCursor(collection, indexed, size)
  const command = { find: collection.collectionName, filter: indexed, sort: { _id: -1 }, limit: size, batchSize: size }
  try {
    const { cursor } = await withReusedSession(database.client, (session) =>
      database.command({ ...command, ...readLimits }, { raw: true, session }),
    )
    const { documents, cursorId } = readBatch(asBuffer(cursor), { documents: [], cursorId: 0n })
    const isCut = cursorId !== 0n
    if (isCut) await database.command({ killCursors: collection.collectionName, cursors: [cursorId] })
    return { documents, isCut }
  } catch (error) {
    if (isFinal(error)) throw error
    return findByCursor(collection, indexed, size)
  }
}

async function findByCursor<T extends object>(
  collection: Collection<T>,
  indexed: Filter<T>,
  size: number,
): Promise<FoundBytes> {
  const options = { ...readLimits, raw: true, batchSize: size }
  const cursor = collection.find(indexed, options).sort({ _id: -1 }).limit(size)
  try {
    await cursor.hasNext()
    const documents = cursor.readBufferedDocuments() as unknown as Buffer[]
    return { documents, isCut: documents.length < size && cursor.id?.isZero() === false }
  } finally {
    await cursor.close()
  }
}

export const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** What an answer says of its cursor: https://www.mongodb.com/docs/v6.0/reference/command/find/#output */
const readBatch = createDocumentReader<Batch>({
  firstBatch: (batch, bytes, at) => {
    batch.documents = elementsOfArray(bytes, at)
  },
  id: (batch, bytes, at) => {
    batch.cursorId = bytes.readBigInt64LE(at)
  },
})

/** The driver would not try these again either: nobody was there, or the server gave up. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof MongoServerSelectionError || (error instanceof MongoServerError && error.code === maxTimeExpired)
  )
}
