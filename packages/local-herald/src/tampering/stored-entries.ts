import { uuidToBytes } from '@herald/contracts'
import { Binary, MongoClient } from 'mongodb'

const limits = { serverSelectionTimeoutMS: 5_000, socketTimeoutMS: 10_000, writeConcern: { w: 'majority' } } as const

/** Change entries in MongoDB, to be altered behind the back of the services. */
export function createStoredEntries({ mongodbUri, database }: { mongodbUri: string; database: string }) {
  const client = new MongoClient(mongodbUri, limits)
  const entries = client.db(database).collection<{ _id: Binary; userName: string }>('change-entries')
  const keyOf = (subscriberId: string, id: string) =>
    new Binary(Buffer.concat([uuidToBytes(subscriberId), uuidToBytes(id)]))
  return {
    /** Returns the name of the user in an entry. */
    async nameIn(subscriberId: string, id: string): Promise<string> {
      const entry = await entries.findOne({ _id: keyOf(subscriberId, id) })
      if (entry === null) throw new Error(`MongoDB has no entry ${id}`)
      return entry.userName
    },
    /** Replaces that name, unless an erasure has removed it meanwhile. */
    async rename(subscriberId: string, id: string, name: string, newName: string): Promise<void> {
      await entries.updateOne({ _id: keyOf(subscriberId, id), userName: name }, { $set: { userName: newName } })
    },
    close: () => client.close(),
  }
}
