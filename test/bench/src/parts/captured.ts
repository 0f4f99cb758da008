import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTopics, type HeraldTopics, topicsWithSuffix } from '@herald/test-servers'
import { capturedChange, mappingFile } from '../ingest/captured-change.ts'
import { type Contestant, startIngest } from '../ingest/contestant.ts'
import { alternateDrains, drainFigure, partitions } from '../ingest/drain.ts'
import { changeEvent } from '../ingest/events.ts'
import { fillTopic } from '../ingest/fill-topic.ts'
import type { Part } from '../part.ts'

/** The rate at which a full topic of Debezium's records becomes change entries, compared with change events. */
export const captured: Part = {
  name: 'captured',
  about: 'captured changes of one field from Kafka to MongoDB',
  rounds: 5,
  async run(context) {
    const { servers, smoke, log } = context
    const documents = smoke ? 10_000 : 400_000
    const topics = topicsWithSuffix(randomUUID())
    const { change } = topics
    const [mapped, empty] = [`captured-${change}`, `empty-${change}`]
    await createTopics(servers.kafkaBrokers, { ...topics, captured: mapped, empty } as HeraldTopics, { partitions })
    await fillTopic(servers.kafkaBrokers, change, documents, changeEvent)
    await fillTopic(servers.kafkaBrokers, mapped, documents, capturedChange)
    log(`${documents} change events and as many captured changes published`)
    const folder = await mkdtemp(join(tmpdir(), 'herald-bench-'))
    try {
      const file = join(folder, 'mappings.yaml')
      await writeFile(file, mappingFile(mapped))
      const verify =
        (changedField: string) =>
        async ({ collection }: Contestant) => {
          const stored = await collection.countDocuments({ actionType: 'update', changedField })
          if (stored !== documents) throw new Error(`${stored} of ${documents} entries change ${changedField}`)
        }
      const drains = await alternateDrains(context, {
        captured: {
          topic: { kind: 'change', name: empty, documents },
          start: (options) => startIngest({ ...options, environment: { CDC_MAPPINGS: file } }),
          verify: verify('amount'),
        },
        events: { topic: { kind: 'change', name: change, documents }, start: startIngest, verify: verify('value') },
      })
      return [
        {
          what: 'captured changes of one field stored',
          unit: 'documents/s',
          ...drainFigure(drains.captured),
          beside: { name: 'change events', ...drainFigure(drains.events) },
          goal: { atLeast: 0.7 },
        },
      ]
    } finally {
      await rm(folder, { recursive: true })
    }
  },
}
