import { type StartedMongodProgram, startMongodProgram } from '@herald/test-servers'
import { MongoClient } from 'mongodb'
import { until } from '../until.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

export type MongoSet = {
  uri: string
  members: StartedMongodProgram[]
  proxies: TcpProxy[]
  /** The oracle's own client, which network faults do not affect. */
  client: MongoClient
  primary(): Promise<StartedMongodProgram>
  stop(): Promise<void>
}

export type MongoSetOptions = {
  log: (line: string) => void
  /** The parent of each member's data folder; the system's temporary folder by default. */
  parentFolders?: readonly string[]
}

/** Short, but long enough that a busy machine does not hold elections. */
export const electionTimeoutMs = 4_000

/** Three mongods that know one another by their proxies' addresses; network faults affect only ingest's connections. */
export async function startMongoSet({ log, parentFolders = [] }: MongoSetOptions): Promise<MongoSet> {
  const members: StartedMongodProgram[] = []
  for (const index of [0, 1, 2]) {
    const parentFolder = parentFolders[index]
    members.push(await startMongodProgram({ log, ...(parentFolder === undefined ? {} : { parentFolder }) }))
  }
  const isAffected = (first: Buffer) => first.includes('herald-ingest')
  const targets = members.map(({ address }) => Number(address.split(':')[1]))
  const proxies = await Promise.all(targets.map((targetPort) => startTcpProxy({ targetPort, isAffected })))
  const addresses = proxies.map(({ port }) => `127.0.0.1:${port}`)
  await initiate(addresses)
  const uri = `mongodb://${addresses.join(',')}/?replicaSet=herald`
  const client = new MongoClient(uri, {
    appName: 'faults-oracle',
    // Long enough for an election on a busy machine, and for a server that is slow while three brokers start.
    serverSelectionTimeoutMS: 30_000,
    connectTimeoutMS: 10_000,
    socketTimeoutMS: 60_000,
    writeConcern: { w: 'majority', journal: true },
  })

  return {
    uri,
    members,
    proxies,
    client,
    async primary() {
      const { primary } = await client.db('admin').command({ hello: 1 })
      const found = members[addresses.indexOf(primary)]
      if (!found) throw new Error('The replica set has no primary.')
      return found
    },
    async stop() {
      await client.close()
      await Promise.all(members.map((member) => member.stop()))
      await Promise.all(proxies.map((proxy) => proxy.stop()))
    },
  }
}

async function initiate(addresses: readonly string[]): Promise<void> {
  const client = new MongoClient(`mongodb://${addresses[0]}/?directConnection=true`)
  try {
    const admin = client.db('admin')
    await admin.command({
      replSetInitiate: {
        _id: 'herald',
        members: addresses.map((host, index) => ({ _id: index, host })),
        settings: { electionTimeoutMillis: electionTimeoutMs, heartbeatIntervalMillis: 1_000 },
      },
    })
    await until('a primary', async () => (await admin.command({ hello: 1 })).primary !== undefined)
  } finally {
    await client.close()
  }
}
