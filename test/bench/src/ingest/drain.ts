import { randomUUID } from 'node:crypto'
import { createTopics, topicsWithSuffix } from '@herald/test-servers'
import { cpuTimes } from '../cpu-time.ts'
import type { BenchContext } from '../part.ts'
import { showNumber } from '../report.ts'
import type { Contestant, DrainOptions } from './contestant.ts'
import { type Drain, measureDrain } from './measure-drain.ts'

export const partitions = 6
export const mebi = 2 ** 20

/** A full topic. */
export type FullTopic = { readonly kind: 'mention' | 'change'; readonly name: string; readonly documents: number }

/** Creates a topic, and fills it. */
export async function createFullTopic(
  brokers: readonly string[],
  kind: FullTopic['kind'],
  documents: number,
  fill: (topic: string) => Promise<void>,
): Promise<FullTopic> {
  const { [kind]: name } = await createTopics(brokers, topicsWithSuffix(randomUUID()), { partitions })
  await fill(name)
  return { kind, name, documents }
}

/** Starts a contestant on an empty database and measures how fast it stores the events of a topic. */
export async function drainOnce(
  { servers, client, serverProcesses }: Pick<BenchContext, 'servers' | 'client' | 'serverProcesses'>,
  { kind, name: full, documents }: FullTopic,
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
    topics: { ...empty, [kind]: full },
    topic: kind,
    groupId: name,
  })
  try {
    return await measureDrain(contestant.collection, documents, { service: contestant.pid, ...serverProcesses })
  } finally {
    await contestant.stop()
    await database.dropDatabase()
  }
}

export const showDrain = ({ perSecond, cpu, peakMemoryBytes }: Drain) =>
  `${showNumber(perSecond)}/s, CPU ${Object.values(cpu).map(showNumber).join(' + ')} µs, ${Math.round(peakMemoryBytes / mebi)} MiB`

export const drainFigure = (drains: readonly Drain[]) => ({
  measured: drains.map(({ perSecond }) => perSecond),
  cpu: cpuTimes(drains),
})
