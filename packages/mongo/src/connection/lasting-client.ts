import { MongoClient, type MongoClientOptions } from 'mongodb'
import { patchDriver } from './patched-driver.ts'

const pauseMs = 500

/** By default the driver has no limit for some of them. */
type Limits = Readonly<
  Record<'connectTimeoutMS' | 'serverSelectionTimeoutMS' | 'socketTimeoutMS' | 'waitQueueTimeoutMS', number>
>

/**
 * Creates a client that also reconnects after its first connection failed. The driver closes its topology then, and
 * every later operation fails with "Topology is closed"; it only reconnects after later outages.
 */
export function createLastingClient(uri: string, options: MongoClientOptions & Limits) {
  patchDriver()
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
