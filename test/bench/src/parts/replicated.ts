import { startReplicaSet } from '@herald/test-servers'
import { MongoClient } from 'mongodb'
import { alternate } from '../alternate.ts'
import { withLargeCache } from '../cache-size.ts'
import type { Figure } from '../figure.ts'
import { startIngest } from '../ingest/contestant.ts'
import { createFullTopic, drainFigure, drainOnce, type FullTopic, showDrain } from '../ingest/drain.ts'
import { changeEvent, mentionEvent } from '../ingest/events.ts'
import { fillTopic } from '../ingest/fill-topic.ts'
import type { BenchContext, Part } from '../part.ts'
import { latency } from './latency.ts'

const recipients = 3

/** The cost of writes that two of three servers confirm. All of these servers share this machine. */
export const replicated: Part = {
  name: 'replicated',
  about: 'events stored, and from a producer to a list, with a replica set of three servers',
  rounds: 5,
  run: (context) =>
    onReplicaSet(context, 3, (three) =>
      onReplicaSet(context, 1, async (one) => {
        const { changes, mentions } = await fill(context)
        const drain = (where: BenchContext, topic: FullTopic) => () => drainOnce(where, { topic, start: startIngest })
        const drains = await alternate(
          context,
          {
            changes: drain(three, changes),
            changesOnOne: drain(one, changes),
            mentions: drain(three, mentions),
            mentionsOnOne: drain(one, mentions),
          },
          showDrain,
          { warmUp: false },
        )
        const [onThree, onOne] = [await latency.run(three), await latency.run(one)]
        const unit = 'documents/s'
        const name = 'one server'
        return [
          {
            what: 'change events stored, three servers',
            unit,
            ...drainFigure(drains.changes),
            beside: { name, ...drainFigure(drains.changesOnOne) },
          },
          {
            what: `mentions of ${recipients} recipients stored, three servers`,
            unit,
            ...drainFigure(drains.mentions),
            beside: { name, ...drainFigure(drains.mentionsOnOne) },
          },
          ...onThree.map(
            (figure, index): Figure => ({
              what: `${figure.what}, three servers`,
              unit: figure.unit,
              measured: figure.measured,
              beside: { name, measured: onOne[index]?.measured ?? [] },
            }),
          ),
        ]
      }),
    ),
}

/** Runs a task on a replica set of its own. The CPU time is that of the primary. */
async function onReplicaSet<T>(context: BenchContext, members: number, task: (context: BenchContext) => Promise<T>) {
  const replicaSet = await startReplicaSet({ members })
  const client = new MongoClient(replicaSet.uri)
  try {
    const { primary } = await client.db('admin').command({ hello: 1 })
    const mongod = replicaSet.members.find(({ address }) => address === primary)?.pid
    const serverProcesses = { ...context.serverProcesses, ...(mongod && { mongod }) }
    const servers = { ...context.servers, mongodbUri: replicaSet.uri }
    return await withLargeCache(client, () => task({ ...context, servers, client, serverProcesses }))
  } finally {
    await client.close()
    await replicaSet.stop()
  }
}

async function fill({ servers, smoke }: BenchContext) {
  const { kafkaBrokers: brokers } = servers
  const documents = smoke ? 6_000 : 300_000
  const changes = await createFullTopic(brokers, 'change', documents, (topic) =>
    fillTopic(brokers, topic, documents, changeEvent),
  )
  const mentions = await createFullTopic(brokers, 'mention', documents, (topic) =>
    fillTopic(brokers, topic, documents / recipients, (i) => mentionEvent(i, recipients)),
  )
  return { changes, mentions }
}
