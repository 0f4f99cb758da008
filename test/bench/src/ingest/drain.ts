import { randomUUID } from 'node:crypto'
import { createTopics, topicsWithSuffix } from '@herald/test-servers'
import { alternate } from '../alternate.ts'
import { cpuTimes } from '../cpu-time.ts'
import type { BenchContext } from '../part.ts'
import { showNumber } from '../show-number.ts'
import type { Contestant, DrainOptions } from './contestant.ts'
import { type Drain, isWarm, measureDrain } from './measure-drain.ts'

export const partitions = 6
const mebi = 2 ** 20

/** A full topic. */
export type FullTopic = {
  readonly kind: 'mention' | 'change'
  readonly name: string
  /** The documents that Herald stores of it. */
  readonly documents: number
}

export type DrainTask = {
  readonly topic: FullTopic
  readonly start: (options: DrainOptions) => Promise<Contestant>
  /** The documents that this contestant stores, if they are not those of Herald. */
  readonly documents?: number
  /** Runs while the contestant lives: throws if the stored documents are not the expected ones, or measures more. */
  readonly verify?: (contestant: Contestant) => Promise<void>
}

/** Creates a topic, of six partitions unless told otherwise, and fills it. */
export async function createFullTopic(
  brokers: readonly string[],
  kind: FullTopic['kind'],
  documents: number,
  fill: (topic: string) => Promise<void>,
  partitionCount = partitions,
): Promise<FullTopic> {
  const { [kind]: name } = await createTopics(brokers, topicsWithSuffix(randomUUID()), { partitions: partitionCount })
  await fill(name)
  return { kind, name, documents }
}

type DrainContext = Pick<BenchContext, 'servers' | 'client' | 'serverProcesses'>

/** The options of a contestant that drains the topic into a new database, in a new group. */
export async function newDrainOptions(
  { servers, client }: Pick<BenchContext, 'servers' | 'client'>,
  topic: FullTopic,
): Promise<DrainOptions> {
  const name = `bench-${randomUUID()}`
  // Herald reads all its topics: those not measured are empty.
  const empty = await createTopics(servers.kafkaBrokers, topicsWithSuffix(name), { partitions: 1 })
  return {
    brokers: servers.kafkaBrokers,
    mongodbUri: servers.mongodbUri,
    database: client.db(name),
    topics: { ...empty, [topic.kind]: topic.name },
    topic: topic.kind,
    groupId: name,
  }
}

/** Starts a contestant on an empty database and measures how fast it stores the events of a topic. */
export async function drainOnce({ servers, client, serverProcesses }: DrainContext, task: DrainTask): Promise<Drain> {
  const { topic, start, documents = topic.documents, verify } = task
  const options = await newDrainOptions({ servers, client }, topic)
  const contestant = await start(options)
  try {
    const processes = { service: contestant.pids, ...serverProcesses }
    const drain = await measureDrain(contestant.collection, documents, processes)
    await verify?.(contestant)
    return drain
  } finally {
    await contestant.stop()
    await options.database.dropDatabase()
    // Or the next contestant would pay for the last checkpoint of this one.
    await client.db('admin').command({ fsync: 1 })
  }
}

/** Drains in turn. Each turn starts a new process, which {@link drainOnce} warms up: no round is left out. */
export function alternateDrains<Name extends string>(
  context: BenchContext,
  tasks: Readonly<Record<Name, DrainTask>>,
): Promise<Record<Name, Drain[]>> {
  const turns = Object.entries<DrainTask>(tasks).map(([name, task]) => [name, () => drainOnce(context, task)] as const)
  const contestants = Object.fromEntries(turns) as Record<Name, () => Promise<Drain>>
  return alternate(context, contestants, showDrain, { warmUp: false })
}

export const showDrain = (drain: Drain) =>
  `${showNumber(drain.perSecond)}/s, CPU ${Object.values(drain.cpu).map(showNumber).join(' + ')} µs, ` +
  `${Math.round(drain.peakMemoryBytes / mebi)} MiB${isWarm(drain) ? '' : `; not warm: ${(100 * drain.drift).toFixed(0)} % apart`}`

export const drainFigure = (drains: readonly Drain[]) => ({
  measured: drains.map(({ perSecond }) => perSecond),
  cpu: cpuTimes(drains),
})

export const peaksOf = (drains: readonly Drain[]) => drains.map(({ peakMemoryBytes }) => peakMemoryBytes / mebi)
