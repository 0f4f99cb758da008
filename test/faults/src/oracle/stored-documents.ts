import type { Collection, Db, Document } from 'mongodb'
import { Binary } from 'mongodb'

type Keyed = Document & {
  _id: Binary
}

/** Herald's collections in MongoDB, read from the primary with majority read concern. */
export type StoredDocuments = {
  database: Db
  notifications: Collection<Keyed>
  changeEntries: Collection<Keyed>
  waitingReceipts: Collection<Keyed>
  fanOuts: Collection<Keyed>
  /** The existing documents of these keys, by key in hex. */
  find(collection: Collection<Keyed>, keys: readonly Buffer[], read?: ReadOptions): Promise<Map<string, Keyed>>
  /**
   * The election id of the current primary. The primary of a new term is confirmed once, so that it knows everything
   * acknowledged before.
   */
  primaryTerm(): Promise<string>
  /** Resolves when the primary has confirmed by a linearizable read that it still is the primary. */
  confirmPrimary(): Promise<void>
}

type ReadOptions = {
  linearizable?: boolean
  projection?: Document
}

const keysPerQuery = 2_000

export function openStoredDocuments(database: Db): StoredDocuments {
  const options = { readConcern: { level: 'majority' }, readPreference: 'primary' } as const
  const notifications = database.collection<Keyed>('notifications', options)
  let confirmedTerm: string | undefined

  const confirmPrimary = async (): Promise<void> => {
    const unusedKey = new Binary(Buffer.alloc(48))
    await notifications.findOne({ _id: unusedKey }, { readConcern: { level: 'linearizable' }, maxTimeMS: 20_000 })
  }

  /** Looks up each key separately: for `$in` MongoDB 6 scans a clustered collection from the first key to the last. */
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
    database,
    notifications,
    changeEntries: database.collection<Keyed>('change-entries', options),
    waitingReceipts: database.collection<Keyed>('waiting-receipts', options),
    fanOuts: database.collection<Keyed>('fan-outs', options),
    confirmPrimary,
    async find(collection, keys, { linearizable = false, projection } = {}) {
      const found = new Map<string, Keyed>()
      for (let start = 0; start < keys.length; start += keysPerQuery) {
        const some = keys.slice(start, start + keysPerQuery).map((key) => new Binary(key))
        const documents = await (linearizable ? findLinearizable : findEach)(collection, some, projection)
        for (const document of documents) found.set(keyText(document), document)
      }
      return found
    },
    async primaryTerm() {
      const { electionId, isWritablePrimary } = await database.admin().command({ hello: 1 })
      if (!isWritablePrimary) throw new Error('The server is not a primary.')
      const current = String(electionId)
      if (current !== confirmedTerm) {
        await confirmPrimary()
        confirmedTerm = current
      }
      return current
    },
  }
}

export const keyText = ({ _id }: { _id: Binary }) => Buffer.from(_id.buffer).toString('hex')
