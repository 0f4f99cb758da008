import { MongoClient } from 'mongodb'
import { eventually } from '../processes/polling.ts'
import { type MongodProgramOptions, type StartedMongodProgram, startMongodProgram } from './mongod-program.ts'

export type ReplicaSetOptions = MongodProgramOptions & {
  /** The number of servers; 1 by default. */
  members?: number
}

export type StartedReplicaSet = {
  uri: string
  members: StartedMongodProgram[]
  stop(): Promise<void>
}

/** Runs a replica set of mongods on this machine and waits for its primary. */
export async function startReplicaSet(options: ReplicaSetOptions = {}): Promise<StartedReplicaSet> {
  const replicaSet = options.replicaSet ?? 'herald'
  const starts = await Promise.allSettled(
    Array.from({ length: options.members ?? 1 }, () => startMongodProgram({ ...options, replicaSet })),
  )
  const members = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  const stop = async () => {
    await Promise.all(members.map((member) => member.stop()))
  }
  try {
    for (const start of starts) if (start.status === 'rejected') throw start.reason
    const addresses = members.map((member) => member.address)
    await initiateReplicaSet(`mongodb://${addresses[0]}/?directConnection=true`, replicaSet, addresses)
    return { uri: `mongodb://${addresses.join(',')}/?replicaSet=${replicaSet}`, members, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Initiates a replica set of the servers at `addresses` through the one at `uri` and waits for a primary. */
export async function initiateReplicaSet(uri: string, name: string, addresses: readonly string[]) {
  const client = new MongoClient(uri)
  try {
    const admin = client.db('admin')
    await admin.command({
      replSetInitiate: {
        _id: name,
        members: addresses.map((host, index) => ({ _id: index, host })),
        settings: { electionTimeoutMillis: 2_000, heartbeatIntervalMillis: 500 },
      },
    })
    await eventually(async () => Boolean((await admin.command({ hello: 1 })).primary), {
      description: 'the replica set has a primary',
      every: 20,
    })
  } finally {
    await client.close()
  }
}
