import { startMongoDB } from '@herald/test-servers'
import { MongoClient } from 'mongodb'

/** Runs `task` with a client of the replica set at `MONGODB_URI`, or of a temporary one. */
export async function withMongo(task: (client: MongoClient) => Promise<void>): Promise<void> {
  const server = await startMongoDB()
  const client = new MongoClient(server.uri, { retryWrites: true, maxPoolSize: 20 })
  try {
    await task(client)
  } finally {
    await client.close()
    await server.stop()
  }
}
