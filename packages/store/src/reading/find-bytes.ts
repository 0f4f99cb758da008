import { type Collection, type Db, type Filter, MongoServerError, MongoServerSelectionError } from 'mongodb'
import { withReusedSession } from '../connection/reused-sessions.ts'
import { asBuffer, createDocumentReader, elementsOfArray } from '../wire/bson.ts'
import { readLimits } from './read-limits.ts'

/** A collection, and the database that receives commands about it. */
export type Source<T extends object> = { readonly database: Db; readonly collection: Collection<T> }

type Batch = { documents: Buffer[]; cursorId: bigint }

const maxTimeExpired = 50

/** Documents as bytes. `isCut` means that more documents match than fit into one response of MongoDB (16 MiB). */
export type FoundBytes = { readonly documents: Buffer[]; readonly isCut: boolean }

/**
 * Returns the newest documents of an index range as bytes: `size` of them, or as many as MongoDB puts into one
 * response.
 *
 * Sends one `find` command without the driver's cursor, which parses every document: that takes half the processor time for a
 * page of 20. Unlike reads, commands are not retried by the driver after a failover, so a failed one is repeated with a cursor.
 */
export async function findBytes<T extends object>(
  { database, collection }: Source<T>,
  indexed: Filter<T>,
  size: number,
): Promise<FoundBytes> {
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

/** The cursor in a response: https://www.mongodb.com/docs/v6.0/reference/command/find/#output */
const readBatch = createDocumentReader<Batch>({
  firstBatch: (batch, bytes, at) => {
    batch.documents = elementsOfArray(bytes, at)
  },
  id: (batch, bytes, at) => {
    batch.cursorId = bytes.readBigInt64LE(at)
  },
})

/** The driver would not retry these either: no server was available, or the server gave up. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof MongoServerSelectionError || (error instanceof MongoServerError && error.code === maxTimeExpired)
  )
}
