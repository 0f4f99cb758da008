import { MongoClient, type MongoClientOptions } from 'mongodb'

const pauseMs = 500

/**
 * A client that comes back by itself, also when nobody answered its first question: the driver then closes what it had begun
 * to connect with, and would answer "Topology is closed" ever after, though not after later outages.
 */
export function createLastingClient(uri: string, options: MongoClientOptions) {
  const client = new MongoClient(uri, options)
  let isClosing = false
  let timer: NodeJS.Timeout | undefined
  // One that fails closes what it had begun, too, and so leads to the next.
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
