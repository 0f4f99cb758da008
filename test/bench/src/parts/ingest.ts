import { randomUUID } from 'node:crypto'
import { createTopics, type HeraldTopics, topicsWithSuffix } from '@herald/local-stack'
import { startConnector } from '../ingest/connector.ts'
import { type Contestant, type Course, startIngest, startIngestCeiling } from '../ingest/contestant.ts'
import { changeEvent, mentionEvent } from '../ingest/events.ts'
import { fillTopic } from '../ingest/fill-topic.ts'
import { type Drain, measureDrain } from '../ingest/measure-drain.ts'
import { alternate, type BenchContext, type Part } from '../part.ts'
import { showNumber } from '../report.ts'

const partitions = 6
const recipientsOfMention = 3
const mebi = 2 ** 20

/** How fast a topic that is full is drained, beside what the drivers alone allow and beside MongoDB's own connector. */
export const ingest: Part = {
  name: 'ingest',
  about: 'change events and mentions from Kafka to MongoDB',
  async run(context) {
    const changes = context.smoke ? 2_000 : 200_000
    const mentions = Math.round(changes / recipientsOfMention)
    const topics = await fill(context, changes, mentions)
    const drain =
      (topic: 'mention' | 'change', documents: number, start: (course: Course) => Promise<Contestant>) => () =>
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
        `${showNumber(perSecond)}/s, ${cpuPerDocument.toFixed(1)} µs of processor each, ${Math.round(peakMemoryBytes / mebi)} MiB`,
    )
    const rates = (drains: readonly Drain[]) => drains.map(({ perSecond }) => perSecond)
    const memory = (drains: readonly Drain[]) => drains.map(({ peakMemoryBytes }) => peakMemoryBytes / mebi)
    const unit = 'documents/s'
    return [
      {
        what: 'change events stored',
        unit,
        measured: rates(herald),
        beside: { name: 'kafkajs and insertMany alone', measured: rates(ceiling) },
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
        what: 'processor time of ingest for a change event',
        unit: 'µs',
        measured: herald.map(({ cpuPerDocument }) => cpuPerDocument),
        beside: {
          name: 'kafkajs and insertMany alone',
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
  log(`${changes} change events and ${mentions} mentions are in their topics`)
  return topics
}

async function drainOnce(
  { servers, client }: BenchContext,
  topics: HeraldTopics,
  topic: 'mention' | 'change',
  documents: number,
  start: (course: Course) => Promise<Contestant>,
): Promise<Drain> {
  const name = `bench-${randomUUID()}`
  const database = client.db(name)
  // Herald reads all its topics: what is not measured is an empty one.
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
