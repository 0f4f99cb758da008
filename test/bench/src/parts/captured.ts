import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTopics, type HeraldTopics, topicsWithSuffix } from '@herald/test-servers'
import { cpuTimes } from '../cpu-time.ts'
import { capturedChange, mappingFile } from '../ingest/captured-change.ts'
import { startIngest } from '../ingest/contestant.ts'
import { changeEvent } from '../ingest/events.ts'
import { fillTopic } from '../ingest/fill-topic.ts'
import { type Drain, measureDrain } from '../ingest/measure-drain.ts'
import { alternate, type BenchContext, type Part } from '../part.ts'
import { showNumber } from '../report.ts'

const partitions = 6

/** The rate at which a full topic of Debezium's records becomes change entries, compared with change events. */
export const captured: Part = {
  name: 'captured',
  about: 'captured changes of one field from Kafka to MongoDB',
  rounds: 3,
  async run(context) {
    const { servers, smoke, log } = context
    const documents = smoke ? 20_000 : 200_000
    const topics = topicsWithSuffix(randomUUID())
    const { change } = topics
    const mapped = `captured-${change}`
    await createTopics(servers.kafkaBrokers, { ...topics, captured: mapped } as HeraldTopics, { partitions })
    await fillTopic(servers.kafkaBrokers, change, documents, changeEvent)
    await fillTopic(servers.kafkaBrokers, mapped, documents, capturedChange)
    log(`${documents} change events and as many captured changes published`)
    const folder = await mkdtemp(join(tmpdir(), 'herald-bench-'))
    try {
      const file = join(folder, 'mappings.yaml')
      await writeFile(file, mappingFile(mapped))
      const drains = await alternate(
        context,
        {
          captured: () => drainOnce(context, documents, { environment: { CDC_MAPPINGS: file } }),
          events: () => drainOnce(context, documents, { change }),
        },
        ({ perSecond, cpu }) => `${showNumber(perSecond)}/s, CPU ${Object.values(cpu).map(showNumber).join(' + ')} µs`,
      )
      const asFigure = (measured: readonly Drain[]) => ({
        measured: measured.map(({ perSecond }) => perSecond),
        cpu: cpuTimes(measured),
      })
      return [
        {
          what: 'captured changes of one field stored',
          unit: 'documents/s',
          ...asFigure(drains.captured),
          beside: { name: 'change events', ...asFigure(drains.events) },
          goal: { atLeast: 0.7 },
        },
      ]
    } finally {
      await rm(folder, { recursive: true })
    }
  },
}

type Read = { readonly change?: string; readonly environment?: NodeJS.ProcessEnv }

/** Lets ingest store one of the full topics in an empty database, and verifies each entry's kind. */
async function drainOnce(
  { servers, client, serverProcesses }: BenchContext,
  documents: number,
  { change, environment = {} }: Read,
): Promise<Drain> {
  const name = `bench-${randomUUID()}`
  const database = client.db(name)
  // Herald reads all its topics: those not measured are empty.
  const empty = await createTopics(servers.kafkaBrokers, topicsWithSuffix(name), { partitions: 1 })
  const contestant = await startIngest({
    brokers: servers.kafkaBrokers,
    mongodbUri: servers.mongodbUri,
    database,
    topic: 'change',
    groupId: name,
    topics: change === undefined ? empty : { ...empty, change },
    environment,
  })
  try {
    const processes = { service: contestant.pid, ...serverProcesses }
    const drain = await measureDrain(contestant.collection, documents, processes)
    const changedField = change === undefined ? 'amount' : 'value'
    const stored = await contestant.collection.countDocuments({ actionType: 'update', changedField })
    if (stored !== documents) throw new Error(`${stored} of ${documents} entries change ${changedField}`)
    return drain
  } finally {
    await contestant.stop()
    await database.dropDatabase()
  }
}
