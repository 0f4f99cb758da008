import type { Collection, Db, Document } from 'mongodb'
import { Binary } from 'mongodb'

interface Keyed extends Document {
  _id: Binary
}

/** Herald's collections as they lie in MongoDB, read from the primary as a majority has it. */
export interface StoredDocuments {
  notifications: Collection<Keyed>
  changeEntries: Collection<Keyed>
  waitingReceipts: Collection<Keyed>
  /** Those of the keys that are there, by key in hex. */
  find(collection: Collection<Keyed>, keys: readonly Buffer[], read?: ReadOptions): Promise<Map<string, Keyed>>
  /**
   * The reign of the primary that answers now. Once in each reign it is made certain that the primary knows everything
   * that was acknowledged before.
   */
  reign(): Promise<string>
  /** Returns when the primary has made certain that it still is one. */
  makeCertain(): Promise<void>
}

export interface ReadOptions {
  linearizable?: boolean
  projection?: Document
}

const keysPerQuery = 2_000

export function openStoredDocuments(database: Db): StoredDocuments {
  const options = { readConcern: { level: 'majority' }, readPreference: 'primary' } as const
  const notifications = database.collection<Keyed>('notifications', options)
  let certainReign: string | undefined

  const makeCertain = async (): Promise<void> => {
    const nobody = new Binary(Buffer.alloc(48))
    await notifications.findOne({ _id: nobody }, { readConcern: { level: 'linearizable' }, maxTimeMS: 20_000 })
  }

  /** Looks each up by itself: for a list of keys MongoDB 6 reads a clustered collection from the first to the last. */
  const findEach = (collection: Collection<Keyed>, keys: readonly Binary[], projection?: Document) =>
    database
      .aggregate<Keyed>(
        [
          { $documents: keys.map((_id) => ({ _id })) },
          { $lookup: { from: collection.collectionName, localField: '_id', foreignField: '_id', as: 'found' } },
          { $unwind: '$found' },
          { $replaceRoot: { newRoot: '$found' } },
          ...(projection ? [{ $project: projection }] : []),
        ],
        { ...options, maxTimeMS: 30_000 },
      )
      .toArray()

  const findLinearizable = (collection: Collection<Keyed>, keys: readonly Binary[], projection: Document = {}) =>
    collection
      .find({ _id: { $in: keys } }, { maxTimeMS: 30_000, readConcern: { level: 'linearizable' }, projection })
      .toArray()

  return {
    notifications,
    changeEntries: database.collection<Keyed>('change-entries', options),
    waitingReceipts: database.collection<Keyed>('waiting-receipts', options),
    makeCertain,
    async find(collection, keys, { linearizable = false, projection } = {}) {
      const found = new Map<string, Keyed>()
      for (let start = 0; start < keys.length; start += keysPerQuery) {
        const some = keys.slice(start, start + keysPerQuery).map((key) => new Binary(key))
        const documents = await (linearizable ? findLinearizable : findEach)(collection, some, projection)
        for (const document of documents) found.set(keyText(document), document)
      }
      return found
    },
    async reign() {
      const { electionId, isWritablePrimary } = await database.admin().command({ hello: 1 })
      if (!isWritablePrimary) throw new Error('It is no primary.')
      const current = String(electionId)
      if (current !== certainReign) {
        await makeCertain()
        certainReign = current
      }
      return current
    },
  }
}

export const keyText = ({ _id }: { _id: Binary }) => Buffer.from(_id.buffer).toString('hex')
