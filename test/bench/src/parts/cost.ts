import { startReplicaSet } from '@herald/test-servers'
import { type Db, MongoClient } from 'mongodb'
import { alternate } from '../alternate.ts'
import { withLargeCache } from '../cache-size.ts'
import { cpuSeconds } from '../cpu-time.ts'
import type { Figure } from '../figure.ts'
import { startIngest } from '../ingest/contestant.ts'
import { createFullTopic, drainOnce, type FullTopic } from '../ingest/drain.ts'
import { changeEvent, mentionEvent } from '../ingest/events.ts'
import { fillTopic } from '../ingest/fill-topic.ts'
import type { BenchContext, Part } from '../part.ts'
import { transferredBytes } from '../process-usage.ts'

const recipients = 3
const mebi = 2 ** 20
const oplogMebi = 8_192

/** The cost of a million documents in seconds of CPU time and MiB. */
type Cost = {
  readonly ingest: number
  readonly mongod: number
  readonly broker: number
  readonly disk: number
  readonly oplog: number
  readonly network: number
}

const rows: Readonly<Record<keyof Cost, { readonly what: string; readonly unit: string }>> = {
  ingest: { what: 'CPU time of ingest, its start included', unit: 's' },
  mongod: { what: 'CPU time of MongoDB', unit: 's' },
  broker: { what: 'CPU time of the broker', unit: 's' },
  disk: { what: 'data and indexes on disk', unit: 'MiB' },
  oplog: { what: 'oplog, as replicated', unit: 'MiB' },
  network: { what: 'bytes between ingest and both servers', unit: 'MiB' },
}

/** The cost of a million notifications, with the documents of their fan-outs, and of a million change entries, from fewer. */
export const cost: Part = {
  name: 'cost',
  about: 'CPU time by process, disk, oplog and network of a million documents',
  rounds: 5,
  async run(context) {
    const { servers, smoke } = context
    const { kafkaBrokers: brokers } = servers
    const events = smoke ? 2_000 : 120_000
    const mentions = await createFullTopic(brokers, 'mention', events * recipients, (topic) =>
      fillTopic(brokers, topic, events, (i) => mentionEvent(i, recipients)),
    )
    const changes = await createFullTopic(brokers, 'change', events * recipients, (topic) =>
      fillTopic(brokers, topic, events * recipients, changeEvent),
    )
    const measured = await alternate(
      context,
      { notifications: () => measureCost(context, mentions), entries: () => measureCost(context, changes) },
      (found) =>
        Object.entries(found)
          .map(([name, value]) => `${name} ${value.toFixed(1)}`)
          .join(', '),
      { warmUp: false },
    )
    return [
      ...toFigures(`a million notifications of ${recipients} recipients an event`, measured.notifications),
      ...toFigures('a million change entries', measured.entries),
    ]
  },
}

function toFigures(documents: string, measured: readonly Cost[]): Figure[] {
  return (Object.keys(rows) as (keyof Cost)[]).map((name) => ({
    what: `${documents}: ${rows[name].what}`,
    unit: rows[name].unit,
    measured: measured.map((found) => found[name]),
  }))
}

/** Drains a topic into a new replica set, on which nothing else happens. */
async function measureCost(context: BenchContext, topic: FullTopic): Promise<Cost> {
  const replicaSet = await startReplicaSet()
  const client = new MongoClient(replicaSet.uri)
  try {
    const { broker } = context.serverProcesses
    const processes = { mongod: replicaSet.members[0]?.pid ?? 0, ...(broker && { broker }) }
    await client.db('admin').command({ replSetResizeOplog: 1, size: oplogMebi })
    const oplogBefore = await oplogBytes(client)
    const before = await cpuSeconds(processes)
    const servers = { ...context.servers, mongodbUri: replicaSet.uri }
    let found: Pick<Cost, 'ingest' | 'network' | 'disk' | 'mongod' | 'broker'> | undefined
    await withLargeCache(client, () =>
      drainOnce(
        { servers, client, serverProcesses: processes },
        {
          topic,
          start: startIngest,
          async verify({ pids: [pid = 0], collection }) {
            const after = await cpuSeconds({ service: pid, ...processes })
            found = {
              ingest: after.service ?? Number.NaN,
              mongod: (after.mongod ?? 0) - (before.mongod ?? 0),
              broker: (after.broker ?? Number.NaN) - (before.broker ?? 0),
              network: (await transferredBytes(pid)) / mebi,
              disk: await diskMebi(client.db(collection.dbName)),
            }
          },
        },
      ),
    )
    if (found === undefined) throw new Error('Nothing was measured')
    const oplog = ((await oplogBytes(client)) - oplogBefore) / mebi
    const million = 1e6 / topic.documents
    const costs = Object.entries({ ...found, oplog }).map(([name, value]) => [name, value * million])
    return Object.fromEntries(costs) as Cost
  } finally {
    await client.close()
    await replicaSet.stop()
  }
}

/** All collections of the database with their indexes, after a checkpoint. */
async function diskMebi(database: Db): Promise<number> {
  await database.admin().command({ fsync: 1 })
  const { storageSize, indexSize } = await database.command({ dbStats: 1 })
  return (storageSize + indexSize) / mebi
}

async function oplogBytes(client: MongoClient): Promise<number> {
  return Number((await client.db('local').command({ collStats: 'oplog.rs' })).size)
}
