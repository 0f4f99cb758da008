import { MongoClient, type MongoClientOptions } from 'mongodb'

const pauseMs = 500

/**
 * Creates a client that also reconnects after its first connection failed. The driver closes its topology then, and
 * every later operation fails with "Topology is closed"; it only reconnects after later outages.
 */
export function createLastingClient(uri: string, options: MongoClientOptions) {
  const client = new MongoClient(uri, options)
  let isClosing = false
  let timer: NodeJS.Timeout | undefined
  // A failed attempt closes the topology again, which schedules the next attempt.
  const connect = () => client.connect().catch(() => {})
  client.on('topologyClosed', () => {
    if (!isClosing) timer = setTimeout(connect, pauseMs)
  })
  return {
    client,
    close: () => {
      isClosing = true
      clearTimeout(timer)
      return client.close()
    },
  }
}
