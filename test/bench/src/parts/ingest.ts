import { randomUUID } from 'node:crypto'
import { createTopics, type HeraldTopics, topicsWithSuffix } from '@herald/test-servers'
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
    const changes = context.smoke ? 2_000 : 200_000
    const mentions = Math.round(changes / recipientsOfMention)
    const topics = await fill(context, changes, mentions)
    const drain =
      (topic: 'mention' | 'change', documents: number, start: (options: DrainOptions) => Promise<Contestant>) => () =>
        drainOnce(context, topics, topic, documents, start)
    const {
      herald,
      ceiling,
      connector,
      mentions: fanOut,
    } = await alternate(
      context,
      {
        herald: drain('change', changes, startIngest),
        ceiling: drain('change', changes, startIngestCeiling),
        connector: drain('change', changes, startConnector),
        mentions: drain('mention', mentions * recipientsOfMention, startIngest),
      },
      ({ perSecond, cpuPerDocument, peakMemoryBytes }) =>
        `${showNumber(perSecond)}/s, ${cpuPerDocument.toFixed(1)} µs CPU each, ${Math.round(peakMemoryBytes / mebi)} MiB`,
    )
    const rates = (drains: readonly Drain[]) => drains.map(({ perSecond }) => perSecond)
    const memory = (drains: readonly Drain[]) => drains.map(({ peakMemoryBytes }) => peakMemoryBytes / mebi)
    const unit = 'documents/s'
    return [
      {
        what: 'change events stored',
        unit,
        measured: rates(herald),
        beside: { name: 'kafkajs and insertMany only', measured: rates(ceiling) },
        goal: { atLeast: 0.8 },
      },
      {
        what: 'change events stored',
        unit,
        measured: rates(herald),
        beside: { name: 'MongoDB’s Kafka connector', measured: rates(connector) },
        goal: { atLeast: 1.7 },
      },
      {
        what: 'peak memory of ingest',
        unit: 'MiB',
        measured: memory(herald),
        goal: { atMost: 256 },
      },
      {
        what: 'mentions of 3 recipients stored',
        unit,
        measured: rates(fanOut),
        beside: { name: 'change events', measured: rates(herald) },
        goal: { atLeast: 0.9 },
      },
      {
        what: 'CPU time of ingest per change event',
        unit: 'µs',
        measured: herald.map(({ cpuPerDocument }) => cpuPerDocument),
        beside: {
          name: 'kafkajs and insertMany only',
          measured: ceiling.map(({ cpuPerDocument }) => cpuPerDocument),
        },
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
  { servers, client }: BenchContext,
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
    return await measureDrain(contestant.collection, documents, contestant.pid)
  } finally {
    await contestant.stop()
    await database.dropDatabase()
  }
}
