import { readsAfter, runCommand } from '@herald/mongo'
import { type Collection, type Document, type Filter, Long, type Timestamp } from 'mongodb'

type Aggregate = { readonly pipeline: readonly Document[]; readonly hint: string }

type Find<T> = {
  readonly filter: Filter<T>
  readonly projection?: Document
  readonly sort?: Document
  readonly limit: number
  readonly hint?: string
}

export type CausalReads = ReturnType<typeof createCausalReads>

/**
 * Reads of what a majority has. None is older than an earlier one, or than a time that was noted, whichever server
 * responds: after a failover, the new primary may not yet know everything that the majority has.
 */
export function createCausalReads() {
  let seen: Timestamp | undefined
  const note = (time: Timestamp | undefined) => {
    if (time !== undefined && (seen === undefined || time.greaterThan(seen))) seen = time
  }
  return {
    note,
    get time() {
      return seen
    },
    /** `isCut`: more documents match than fit into one response of MongoDB, or than the limit. */
    async find<T extends Document>({ collectionName: find, db }: Collection<T>, { limit, ...query }: Find<T>) {
      const command = { find, ...query, limit, batchSize: limit, ...readsAfter(seen) }
      const { cursor, operationTime } = await runCommand(db, command)
      note(operationTime)
      // The driver returns numbers where they are exact.
      const id = typeof cursor.id === 'number' ? Long.fromNumber(cursor.id) : (cursor.id as Long)
      const isOpen = !id.isZero()
      if (isOpen) await runCommand(db, { killCursors: find, cursors: [id] })
      const documents = cursor.firstBatch as T[]
      return { documents, isCut: isOpen || documents.length === limit }
    },
    /** The results of a pipeline that has few of them. */
    async aggregate<T extends Document>(
      { collectionName: aggregate, db }: Pick<Collection, 'collectionName' | 'db'>,
      stages: Aggregate,
    ): Promise<readonly T[]> {
      const { cursor, operationTime } = await runCommand(db, { aggregate, ...stages, cursor: {}, ...readsAfter(seen) })
      note(operationTime)
      return cursor.firstBatch
    },
  }
}
