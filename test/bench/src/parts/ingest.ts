import { randomUUID } from 'node:crypto'
import { createTopics, type HeraldTopics, topicsWithSuffix } from '@herald/test-servers'
import { cpuTimes } from '../cpu-time.ts'
import { startConnector } from '../ingest/connector.ts'
import { type Contestant, type DrainOptions, startIngest, startIngestCeiling } from '../ingest/contestant.ts'
import { changeEvent, mentionEvent } from '../ingest/events.ts'
import { fillTopic } from '../ingest/fill-topic.ts'
import { type Drain, measureDrain } from '../ingest/measure-drain.ts'
import { alternate, type BenchContext, type Part } from '../part.ts'
import { showNumber } from '../report.ts'

const partitions = 6
const recipientsOfMention = 3
const mebi = 2 ** 20

/** The rate at which a full topic is drained, compared with the drivers only and with MongoDB's connector. */
export const ingest: Part = {
  name: 'ingest',
  about: 'change events and mentions from Kafka to MongoDB',
  async run(context) {
    const changes = context.smoke ? 20_000 : 200_000
    const mentions = Math.round(changes / recipientsOfMention)
    const topics = await fill(context, changes, mentions)
    const drain =
      (topic: 'mention' | 'change', documents: number, start: (options: DrainOptions) => Promise<Contestant>) => () =>
        drainOnce(context, topics, topic, documents, start)
    const { herald, indexed, bare, connector, fanOut } = await alternate(
      context,
      {
        herald: drain('change', changes, startIngest),
        indexed: drain('change', changes, startIngestCeiling({ indexes: true })),
        bare: drain('change', changes, startIngestCeiling({ indexes: false })),
        connector: drain('change', changes, startConnector),
        fanOut: drain('mention', mentions * recipientsOfMention, startIngest),
      },
      ({ perSecond, cpu, peakMemoryBytes }) =>
        `${showNumber(perSecond)}/s, CPU ${Object.values(cpu).map(showNumber).join(' + ')} µs, ${Math.round(peakMemoryBytes / mebi)} MiB`,
    )
    const asFigure = (drains: readonly Drain[]) => ({
      measured: drains.map(({ perSecond }) => perSecond),
      cpu: cpuTimes(drains),
    })
    const stored = { what: 'change events stored', unit: 'documents/s', ...asFigure(herald) }
    return [
      {
        ...stored,
        beside: { name: 'kafkajs and insertMany, same indexes', ...asFigure(indexed) },
        goal: { atLeast: 0.85 },
        cpuGoal: { atMost: 1.25 },
      },
      { ...stored, beside: { name: 'the same without indexes', ...asFigure(bare) }, goal: { atLeast: 0.65 } },
      { ...stored, beside: { name: 'MongoDB’s Kafka connector', ...asFigure(connector) }, goal: { atLeast: 2.5 } },
      {
        what: 'peak memory of ingest',
        unit: 'MiB',
        measured: herald.map(({ peakMemoryBytes }) => peakMemoryBytes / mebi),
        goal: { atMost: 256 },
      },
      {
        what: 'mentions of 3 recipients stored',
        unit: 'documents/s',
        ...asFigure(fanOut),
        beside: { name: 'change events', ...asFigure(herald) },
        goal: { atLeast: 1 },
      },
    ]
  },
}

async function fill({ servers, log }: BenchContext, changes: number, mentions: number): Promise<HeraldTopics> {
  const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(randomUUID()), { partitions })
  await fillTopic(servers.kafkaBrokers, topics.change, changes, changeEvent)
  await fillTopic(servers.kafkaBrokers, topics.mention, mentions, (i) => mentionEvent(i, recipientsOfMention))
  log(`${changes} change events and ${mentions} mentions published`)
  return topics
}

async function drainOnce(
  { servers, client, serverProcesses }: BenchContext,
  topics: HeraldTopics,
  topic: 'mention' | 'change',
  documents: number,
  start: (options: DrainOptions) => Promise<Contestant>,
): Promise<Drain> {
  const name = `bench-${randomUUID()}`
  const database = client.db(name)
  // Herald reads all its topics: those not measured are empty.
  const empty = await createTopics(servers.kafkaBrokers, topicsWithSuffix(name), { partitions: 1 })
  const contestant = await start({
    brokers: servers.kafkaBrokers,
    mongodbUri: servers.mongodbUri,
    database,
    topics: { ...empty, [topic]: topics[topic] },
    topic,
    groupId: name,
  })
  try {
    return await measureDrain(contestant.collection, documents, { service: contestant.pid, ...serverProcesses })
  } finally {
    await contestant.stop()
    await database.dropDatabase()
  }
}
