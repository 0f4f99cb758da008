import type { Figure } from '../figure.ts'
import { startConnector } from '../ingest/connector.ts'
import { startIngest, startIngestCeiling } from '../ingest/contestant.ts'
import { alternateDrains, createFullTopic, drainFigure, peaksOf } from '../ingest/drain.ts'
import { changeEvent, mentionEvent } from '../ingest/events.ts'
import { fillCompressed } from '../ingest/fill-compressed.ts'
import { fillTopic } from '../ingest/fill-topic.ts'
import type { Drain } from '../ingest/measure-drain.ts'
import type { BenchContext, Part } from '../part.ts'

const unit = 'documents/s'

/** The rate at which a full topic is drained, compared with the drivers only and with MongoDB's connector. */
export const ingest: Part = {
  name: 'ingest',
  about: 'change events and mentions from Kafka to MongoDB',
  rounds: 5,
  async run(context) {
    const { changes, compressed, mentions } = await fill(context)
    const start = startIngest
    const drains = await alternateDrains(context, {
      herald: { topic: changes, start },
      sameMemory: { topic: changes, start: startIngestCeiling({ indexes: true, sameMemory: true }) },
      indexed: { topic: changes, start: startIngestCeiling({ indexes: true }) },
      bare: { topic: changes, start: startIngestCeiling({ indexes: false }) },
      connector: { topic: changes, start: startConnector },
      compressed: { topic: compressed, start },
      one: { topic: mentions.one, start },
      three: { topic: mentions.three, start },
      ten: { topic: mentions.ten, start },
      perRecipient: { topic: mentions.three, start: startIngestCeiling({ indexes: true, sameMemory: true }) },
    })
    return [...changeFigures(drains), ...mentionFigures(drains), ...memoryFigures(drains)]
  },
}

type Drains = Readonly<Record<string, readonly Drain[]>>

function changeFigures({ herald = [], sameMemory = [], indexed = [], bare = [], connector = [] }: Drains): Figure[] {
  const stored = { what: 'change events stored', unit, ...drainFigure(herald) }
  return [
    {
      ...stored,
      beside: { name: 'kafkajs and insertMany, same indexes and memory', ...drainFigure(sameMemory) },
      goal: { atLeast: 0.85 },
      cpuGoal: { atMost: 1.5 },
    },
    { ...stored, beside: { name: 'the same with the memory that it takes', ...drainFigure(indexed) } },
    { ...stored, beside: { name: 'the same without indexes', ...drainFigure(bare) }, goal: { atLeast: 0.6 } },
    { ...stored, beside: { name: 'MongoDB’s Kafka connector', ...drainFigure(connector) }, goal: { atLeast: 1.5 } },
  ]
}

function mentionFigures({ herald = [], one = [], three = [], ten = [], perRecipient = [] }: Drains): Figure[] {
  const beside = { name: 'change events', ...drainFigure(herald) }
  const ofThree = { what: 'mentions of 3 recipients stored', unit, ...drainFigure(three) }
  return [
    { what: 'mentions of 1 recipient stored', unit, ...drainFigure(one), beside },
    { ...ofThree, beside, goal: { atLeast: 1 } },
    {
      ...ofThree,
      beside: { name: 'kafkajs and insertMany, a document per recipient', ...drainFigure(perRecipient) },
    },
    { what: 'mentions of 10 recipients stored', unit, ...drainFigure(ten), beside },
  ]
}

function memoryFigures({
  herald = [],
  sameMemory = [],
  indexed = [],
  connector = [],
  compressed = [],
}: Drains): Figure[] {
  const peak = { what: 'peak memory of ingest', unit: 'MiB', measured: peaksOf(herald) }
  return [
    { ...peak, beside: { name: 'kafkajs and insertMany, same options', measured: peaksOf(sameMemory) } },
    { ...peak, beside: { name: 'the same with Node.js’s own', measured: peaksOf(indexed) } },
    { ...peak, beside: { name: 'the connector', measured: peaksOf(connector) }, goal: { atMost: 0.2 } },
    { what: 'peak memory of ingest', unit: 'MiB', measured: peaksOf(herald), goal: { atMost: 256 } },
    {
      what: 'peak memory of ingest, change events compressed over 47:1',
      unit: 'MiB',
      measured: peaksOf(compressed),
      goal: { atMost: 320 },
    },
  ]
}

async function fill({ servers, smoke, log }: BenchContext) {
  const { kafkaBrokers } = servers
  const documents = smoke ? 24_000 : 400_000
  const changes = await createFullTopic(kafkaBrokers, 'change', documents, (topic) =>
    fillTopic(kafkaBrokers, topic, documents, changeEvent),
  )
  let ratio = 0
  const compressed = await createFullTopic(kafkaBrokers, 'change', documents, async (topic) => {
    ratio = await fillCompressed(kafkaBrokers, topic, documents)
  })
  const mentionsOf = (recipients: number, events: number) =>
    createFullTopic(kafkaBrokers, 'mention', events * recipients, (topic) =>
      fillTopic(kafkaBrokers, topic, events, (i) => mentionEvent(i, recipients)),
    )
  const mentions = {
    one: await mentionsOf(1, documents / 2),
    three: await mentionsOf(3, Math.round(documents / 3)),
    ten: await mentionsOf(10, documents / 10),
  }
  log(`${2 * documents} change events published, half of them compressed ${ratio.toFixed(1)}:1, and mentions`)
  return { changes, compressed, mentions }
}
