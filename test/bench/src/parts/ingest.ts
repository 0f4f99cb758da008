import { startConnector } from '../ingest/connector.ts'
import { startIngest, startIngestCeiling } from '../ingest/contestant.ts'
import { createFullTopic, drainFigure, drainOnce, type FullTopic, mebi, showDrain } from '../ingest/drain.ts'
import { changeEvent, mentionEvent } from '../ingest/events.ts'
import { fillCompressed } from '../ingest/fill-compressed.ts'
import { fillTopic } from '../ingest/fill-topic.ts'
import type { Drain } from '../ingest/measure-drain.ts'
import { alternate, type BenchContext, type Part } from '../part.ts'

/** The rate at which a full topic is drained, compared with the drivers only and with MongoDB's connector. */
export const ingest: Part = {
  name: 'ingest',
  about: 'change events and mentions from Kafka to MongoDB',
  rounds: 5,
  async run(context) {
    const { changes, compressed, mentions } = await fill(context)
    const drain =
      (topic: FullTopic, start = startIngest) =>
      () =>
        drainOnce(context, topic, start)
    const measured = await alternate(
      context,
      {
        herald: drain(changes),
        indexed: drain(changes, startIngestCeiling({ indexes: true })),
        bare: drain(changes, startIngestCeiling({ indexes: false })),
        connector: drain(changes, startConnector),
        compressed: drain(compressed),
        one: drain(mentions.one),
        three: drain(mentions.three),
        ten: drain(mentions.ten),
      },
      showDrain,
    )
    const { herald, indexed, bare, connector, one, three, ten } = measured
    const stored = { what: 'change events stored', unit: 'documents/s', ...drainFigure(herald) }
    const beside = { name: 'change events', ...drainFigure(herald) }
    return [
      {
        ...stored,
        beside: { name: 'kafkajs and insertMany, same indexes', ...drainFigure(indexed) },
        goal: { atLeast: 0.85 },
        cpuGoal: { atMost: 1.25 },
      },
      { ...stored, beside: { name: 'the same without indexes', ...drainFigure(bare) }, goal: { atLeast: 0.65 } },
      { ...stored, beside: { name: 'MongoDB’s Kafka connector', ...drainFigure(connector) }, goal: { atLeast: 2.5 } },
      { what: 'mentions of 1 recipient stored', unit: 'documents/s', ...drainFigure(one), beside },
      {
        what: 'mentions of 3 recipients stored',
        unit: 'documents/s',
        ...drainFigure(three),
        beside,
        goal: { atLeast: 1 },
      },
      { what: 'mentions of 10 recipients stored', unit: 'documents/s', ...drainFigure(ten), beside },
      { what: 'peak memory of ingest', unit: 'MiB', measured: peaks(herald), goal: { atMost: 256 } },
      {
        what: 'peak memory of ingest, change events compressed over 47:1',
        unit: 'MiB',
        measured: peaks(measured.compressed),
        goal: { atMost: 320 },
      },
    ]
  },
}

const peaks = (drains: readonly Drain[]) => drains.map(({ peakMemoryBytes }) => peakMemoryBytes / mebi)

async function fill({ servers, smoke, log }: BenchContext) {
  const { kafkaBrokers } = servers
  const documents = smoke ? 20_000 : 200_000
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
    ten: await mentionsOf(10, documents / 20),
  }
  log(`${2 * documents} change events published, half of them compressed ${ratio.toFixed(1)}:1, and mentions`)
  return { changes, compressed, mentions }
}
