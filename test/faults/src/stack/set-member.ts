import { type Document, MongoClient } from 'mongodb'
import { until } from '../until.ts'
import type { MongoSet } from './mongo-set.ts'

/** Connects to one member of a replica set by its own address: it answers also when it is cut off. */
export async function askMember(address: string) {
  const uri = `mongodb://${address}/?directConnection=true`
  const client = await MongoClient.connect(uri, { serverSelectionTimeoutMS: 5_000, socketTimeoutMS: 5_000 })
  const admin = client.db('admin')
  return {
    client,
    rollbackId: async () => (await admin.command({ replSetGetRBID: 1 })).rbid as number,
    stepUp: () => admin.command({ replSetStepUp: 1 }),
    /** The documents that no majority has, as far as the member knows. */
    async onlyHere(database: string, collection: string): Promise<Document[]> {
      const read = (level: 'local' | 'majority') =>
        client
          .db(database)
          .collection(collection)
          .find({}, { projection: { _id: 1 }, readConcern: { level }, batchSize: 10_000 })
          .toArray()
      const [majority, local] = [await read('majority'), await read('local')]
      const known = new Set(majority.map(({ _id }) => _id.toString('hex')))
      return local.filter(({ _id }) => !known.has(_id.toString('hex')))
    },
    close: () => client.close(),
  }
}

/** How long a primary leads without the others, and others wait for a primary, before there is an election. */
export async function setElectionTimeout({ client }: MongoSet, electionTimeoutMillis: number): Promise<void> {
  await until('the election timeout to be set', async () => {
    const admin = client.db('admin')
    const { config } = await admin.command({ replSetGetConfig: 1 })
    const settings = { ...config.settings, electionTimeoutMillis }
    await admin.command({ replSetReconfig: { ...config, version: config.version + 1, settings } })
    return true
  })
}
