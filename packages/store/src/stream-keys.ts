import { randomBytes } from 'node:crypto'
import { Binary, type Collection, type Db, MongoServerError } from 'mongodb'
import { readLimits } from './read-limits.ts'
import { StorageUnavailableError } from './storage-errors.ts'

/** A secret that all processes share. */
export type StreamKeyDocument = {
  /** What it is for. */
  _id: string
  v: 1
  key: Binary
  createdAt: Date
}

/** The secret that all processes share to make the ids of streams' events unreadable. */
export type StreamKeys = {
  /** 32 random bytes, the same for everybody and for ever; made when they are first asked for. */
  get(): Promise<Buffer>
}

const _id = 'event-ids'
const duplicateKey = 11_000

export function createStreamKeys(database: Db, collection: Collection<StreamKeyDocument>): StreamKeys {
  const find = () => collection.findOne({ _id }, { ...readLimits, readConcern: 'majority' })

  async function insert(): Promise<void> {
    // Inserting would create it, and not clustered: only `migrate` may.
    const found = await database.listCollections({ name: collection.collectionName }, { nameOnly: true }).toArray()
    if (found.length === 0) throw new StorageUnavailableError('The collection of the keys of streams is missing')
    try {
      await collection.insertOne({ _id, v: 1, key: new Binary(randomBytes(32)), createdAt: new Date() })
    } catch (error) {
      // Another process was first; its key counts.
      if (!(error instanceof MongoServerError && error.code === duplicateKey)) throw error
    }
  }

  return {
    async get() {
      let document = await find()
      if (!document) {
        await insert()
        document = await find()
      }
      if (!document) throw new StorageUnavailableError('The key of the streams is not there yet')
      return Buffer.from(document.key.buffer)
    },
  }
}
