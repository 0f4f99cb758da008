import { randomBytes } from 'node:crypto'
import { Binary, type Collection, type Db } from 'mongodb'
import { readLimits } from '../reading/read-limits.ts'
import { isDuplicateKey, StorageUnavailableError } from '../storage-errors.ts'

/** A secret shared by all processes. */
export type StreamKeyDocument = {
  /** The purpose of the key. */
  _id: string
  v: 1
  key: Binary
  createdAt: Date
}

/** The key with which all processes encrypt the ids of stream events. */
export type StreamKeys = {
  /** Returns 32 random bytes, created at the first call and the same for every process. */
  get(): Promise<Buffer>
}

const _id = 'event-ids'

export function createStreamKeys(database: Db, collection: Collection<StreamKeyDocument>): StreamKeys {
  const find = () => collection.findOne({ _id }, { ...readLimits, readConcern: 'majority' })

  async function insert(): Promise<void> {
    // An insert would create the collection without clustering.
    const found = await database.listCollections({ name: collection.collectionName }, { nameOnly: true }).toArray()
    if (found.length === 0) throw new StorageUnavailableError('The collection stream-keys is missing')
    try {
      await collection.insertOne({ _id, v: 1, key: new Binary(randomBytes(32)), createdAt: new Date() })
    } catch (error) {
      // Another process inserted its key first.
      if (!isDuplicateKey(error)) throw error
    }
  }

  return {
    async get() {
      let document = await find()
      if (!document) {
        await insert()
        document = await find()
      }
      if (!document) throw new StorageUnavailableError('The stream key is not available yet')
      return Buffer.from(document.key.buffer)
    },
  }
}
