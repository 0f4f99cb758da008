import type { CpuTimes, Figure } from '../figure.ts'
import { startIngest, startIngestCeiling } from '../ingest/contestant.ts'
import { alternateDrains, createFullTopic, drainFigure } from '../ingest/drain.ts'
import { changeEvent, mentionEvent } from '../ingest/events.ts'
import { fillTopic } from '../ingest/fill-topic.ts'
import type { Drain } from '../ingest/measure-drain.ts'
import { type RealisticEvents, realisticChanges, realisticMentions } from '../ingest/realistic.ts'
import type { Part } from '../part.ts'

/** Events as a system publishes them, compared with the ceiling, and with events of which all are equally frequent. */
export const realistic: Part = {
  name: 'realistic',
  about: 'few subscribers, entities and recipients with most of the events, 5 % repeated, 1 % invalid',
  rounds: 5,
  async run(context) {
    const { servers, smoke, log } = context
    const records = smoke ? { change: 8_000, mention: 8_000 } : { change: 240_000, mention: 100_000 }
    const brokers = servers.kafkaBrokers
    const fill = (kind: 'change' | 'mention', { event, documents }: RealisticEvents) =>
      createFullTopic(brokers, kind, documents, (topic) => fillTopic(brokers, topic, records[kind], event))
    const changes = await fill('change', realisticChanges(records.change))
    const mentions = await fill('mention', realisticMentions(records.mention))
    const evenChanges = await fill('change', { event: changeEvent, documents: records.change })
    const evenMentions = await fill('mention', { event: (i) => mentionEvent(i, 3), documents: records.mention * 3 })
    log(`${records.change} change events and ${records.mention} mentions published, twice`)
    const start = startIngest
    const drains = await alternateDrains(context, {
      changes: { topic: changes, start },
      ceiling: {
        topic: changes,
        start: startIngestCeiling({ indexes: true, sameMemory: true }),
        // It stores repeated and invalid events, too.
        documents: records.change,
      },
      evenChanges: { topic: evenChanges, start },
      mentions: { topic: mentions, start },
      evenMentions: { topic: evenMentions, start },
    })
    const stored = {
      what: 'realistic change events handled',
      unit: 'events/s',
      ...perRecord(drains.changes, changes.documents / records.change),
    }
    return [
      {
        ...stored,
        beside: { name: 'kafkajs and insertMany, same indexes and memory', ...drainFigure(drains.ceiling) },
      },
      { ...stored, beside: { name: 'even change events', ...drainFigure(drains.evenChanges) } },
      {
        what: 'realistic mentions stored',
        unit: 'documents/s',
        ...drainFigure(drains.mentions),
        beside: { name: 'even mentions of 3 recipients', ...drainFigure(drains.evenMentions) },
      },
    ]
  },
}

/** Rates and CPU times of records instead of documents. */
function perRecord(drains: readonly Drain[], documentsPerRecord: number): Pick<Figure, 'measured'> & { cpu: CpuTimes } {
  const { measured, cpu } = drainFigure(drains)
  const times = Object.entries(cpu).map(([name, values]) => [name, values.map((value) => value * documentsPerRecord)])
  return { measured: measured.map((rate) => rate / documentsPerRecord), cpu: Object.fromEntries(times) }
}
