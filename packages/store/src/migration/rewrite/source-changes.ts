import type { Binary, ChangeStreamDocument, Db, ResumeToken } from 'mongodb'
import type { NotificationDocument } from '../../notifications/notification-document.ts'

export type SourceChange = Pick<
  ChangeStreamDocument<NotificationDocument> & { documentKey: { _id: Binary } },
  'operationType' | 'documentKey' | '_id'
> & {
  readonly fullDocument?: NotificationDocument
  readonly updateDescription?: {
    readonly updatedFields?: Partial<NotificationDocument>
    readonly removedFields?: readonly string[]
  }
}

export type ChangesOf = {
  readonly collection: string
  /** The collection that is renamed to `collection` in the end; that change is the last one. */
  readonly renamedFrom: string
}

/** A `getMore` that finds nothing returns at once, because more changes are made while it waits. */
const limits = { maxTimeMS: 30_000, maxAwaitTimeMS: 1, batchSize: 500 } as const

/** Where the changes after now begin. */
export async function currentPosition(database: Db): Promise<ResumeToken> {
  const stream = database.watch([{ $match: { operationType: 'none' } }], limits)
  try {
    await stream.tryNext()
    return stream.resumeToken
  } finally {
    await stream.close()
  }
}

/**
 * Yields the changes of a collection after a position, majority-committed and in order, and their position. `undefined`
 * means that there is no later one yet. Keys only, unless `withContent`.
 */
export async function* changesAfter(
  database: Db,
  { collection, renamedFrom }: ChangesOf,
  position: ResumeToken,
  { withContent }: { readonly withContent: boolean },
): AsyncGenerator<{ readonly change: SourceChange | undefined; readonly position: ResumeToken }, void, void> {
  const renamed = { operationType: 'rename', 'ns.coll': renamedFrom, 'to.coll': collection }
  const changed = { operationType: { $in: ['insert', 'update', 'replace', 'delete'] }, 'ns.coll': collection }
  const keys = { $project: { operationType: 1, documentKey: 1 } }
  const pipeline = [{ $match: { $or: [changed, renamed] } }, ...(withContent ? [] : [keys])]
  const stream = database.watch(pipeline, { ...limits, resumeAfter: position })
  try {
    for (;;) {
      const change = (await stream.tryNext()) as unknown as SourceChange | null
      yield { change: change ?? undefined, position: stream.resumeToken }
    }
  } finally {
    await stream.close()
  }
}
