import { setTimeout as pause } from 'node:timers/promises'
import { type StartedService, startService } from '@herald/local-herald'
import { alternate } from '../alternate.ts'
import { cpuTimes, withCpuTime } from '../cpu-time.ts'
import type { CpuTimes, Figure } from '../figure.ts'
import { startIngest } from '../ingest/contestant.ts'
import {
  alternateDrains,
  createFullTopic,
  type DrainTask,
  drainFigure,
  type FullTopic,
  newDrainOptions,
  peaksOf,
} from '../ingest/drain.ts'
import { mentionEvent } from '../ingest/events.ts'
import { fillTopic } from '../ingest/fill-topic.ts'
import type { Drain } from '../ingest/measure-drain.ts'
import type { BenchContext, Part } from '../part.ts'
import { processUsage } from '../process-usage.ts'
import { type QueryBench, withQuery } from '../query/bench-query.ts'
import { load } from '../query/http-load.ts'
import { connections, ownRequests } from '../query/measure-requests.ts'
import { showNumber } from '../show-number.ts'
import { warmUp } from './warm-up.ts'

const recipients = 3
const partitionCounts = [6, 16, 48] as const
const mebi = 2 ** 20

/** How rates and memory grow with processes and partitions on this machine, and the rate per core. */
export const scale: Part = {
  name: 'scale',
  about: '1, 2 and 4 processes of ingest and of query, 6, 16 and 48 partitions, and the pause of a rebalance',
  rounds: 5,
  async run(context) {
    const topics = await fillTopics(context)
    return [
      ...(await measureIngest(context, topics)),
      ...(await measureRebalances(context, topics[6])),
      ...(await measureQuery(context)),
    ]
  },
}

type Topics = Readonly<Record<(typeof partitionCounts)[number], FullTopic>>

async function fillTopics({ servers, smoke }: BenchContext): Promise<Topics> {
  const { kafkaBrokers: brokers } = servers
  const events = smoke ? 2_000 : 150_000
  const topics: [number, FullTopic][] = []
  for (const partitions of partitionCounts) {
    const fill = (topic: string) => fillTopic(brokers, topic, events, (i) => mentionEvent(i, recipients))
    topics.push([partitions, await createFullTopic(brokers, 'mention', events * recipients, fill, partitions)])
  }
  return Object.fromEntries(topics) as Topics
}

async function measureIngest(context: BenchContext, topics: Topics): Promise<Figure[]> {
  const drainBy = (processes: number, topic: FullTopic): DrainTask => ({
    topic,
    start: (options) => startIngest(options, undefined, processes),
  })
  const drains = await alternateDrains(context, {
    one: drainBy(1, topics[6]),
    two: drainBy(2, topics[6]),
    four: drainBy(4, topics[6]),
    of16: drainBy(1, topics[16]),
    of48: drainBy(1, topics[48]),
    fourOf48: drainBy(4, topics[48]),
  })
  const compared = [
    ['2 processes, 6 partitions', drains.two],
    ['4 processes, 6 partitions', drains.four],
    ['1 process, 16 partitions', drains.of16],
    ['1 process, 48 partitions', drains.of48],
    ['4 processes, 48 partitions', drains.fourOf48],
  ] as const
  const beside = '1 process, 6 partitions'
  const core = `mentions of ${recipients} recipients that a core stores, from its CPU time`
  return [
    ...compared.map(([by, found]) => ({
      what: `mentions of ${recipients} recipients stored, ${by}`,
      unit: 'documents/s',
      ...drainFigure(found),
      beside: { name: beside, ...drainFigure(drains.one) },
    })),
    ...compared.map(([by, found]) => ({
      what: `peak memory of a process of ingest, ${by}`,
      unit: 'MiB',
      measured: peaksOf(found),
      beside: { name: beside, measured: peaksOf(drains.one) },
    })),
    ...perCore(`${core} in ingest`, 'documents/s', drains.one, 'service'),
    ...perCore(`${core} in MongoDB`, 'documents/s', drains.one, 'mongod'),
  ]
}

/** The rate of one core that does nothing else, from the CPU time per operation. More machines have more cores. */
function perCore(what: string, unit: string, measured: readonly Pick<Drain, 'cpu'>[], name: keyof CpuTimes): Figure[] {
  const times = cpuTimes(measured)[name]
  return times === undefined ? [] : [{ what, unit, measured: times.map((microseconds) => 1e6 / microseconds) }]
}

type Pauses = { readonly none: number; readonly leaves: number; readonly joins: number }

/** The longest time in which nothing is stored while the second process leaves its group, and while one joins it. */
async function measureRebalances(context: BenchContext, topic: FullTopic): Promise<Figure[]> {
  const measured: Pauses[] = []
  for (let round = 1; round <= context.rounds; round++) {
    const pauses = await measurePauses(context, topic)
    measured.push(pauses)
    const { none, leaves, joins } = pauses
    context.log(`round ${round} of ${context.rounds}, pauses: ${none} ms, one leaves ${leaves}, one joins ${joins} ms`)
  }
  const of = (what: string, name: keyof Pauses) => ({
    what: `longest time without a stored document while ${what}`,
    unit: 'ms',
    measured: measured.map((pauses) => pauses[name]),
    beside: { name: 'two processes stay', measured: measured.map(({ none }) => none) },
  })
  return [of('one of two processes leaves', 'leaves'), of('a second process joins', 'joins')]
}

async function measurePauses(context: BenchContext, topic: FullTopic): Promise<Pauses> {
  const options = await newDrainOptions(context, topic)
  const ingests = await Promise.all([startIngest(options), startIngest(options)])
  const [first, second] = ingests
  const stored = () => first.collection.estimatedDocumentCount()
  const watchMs = context.smoke ? 100 : 2_000
  try {
    while ((await stored()) < topic.documents / 10) await pause(10)
    const none = await longestPause(stored, watchMs, async () => {})
    const leaves = await longestPause(stored, watchMs, second.stop)
    const joins = await longestPause(stored, watchMs, async () => {
      ingests.push(await startIngest(options))
    })
    if (!context.smoke && (await stored()) === topic.documents) throw new Error('Everything was stored before the end')
    return { none, leaves, joins }
  } finally {
    await Promise.all(ingests.filter((ingest) => ingest !== second).map((ingest) => ingest.stop()))
    await options.database.dropDatabase()
  }
}

/** Makes a change, and returns the longest time in milliseconds in which the count stayed the same, until some time after it. */
async function longestPause(
  count: () => Promise<number>,
  watchMs: number,
  change: () => Promise<void>,
): Promise<number> {
  let endsAt = Number.POSITIVE_INFINITY
  const changing = change().finally(() => {
    endsAt = performance.now() + watchMs
  })
  let [last, since, longest] = [await count(), performance.now(), 0]
  while (performance.now() < endsAt) {
    await pause(10)
    const found = await count()
    if (found > last) [last, since] = [found, performance.now()]
    else longest = Math.max(longest, performance.now() - since)
  }
  await changing
  return Math.round(longest)
}

async function measureQuery(context: BenchContext): Promise<Figure[]> {
  const population = { users: context.smoke ? 100 : 10_000, notificationsEach: 30 }
  return withQuery(context, population, async (bench) => {
    const started: StartedService[] = []
    const start = async (processes: number) => {
      const services = await Promise.all(Array.from({ length: processes }, () => startService('query', bench.settings)))
      started.push(...services)
      const shares = shareUsers(bench, services)
      await Promise.all(
        shares.map(({ service, requests, connections }) => warmUp(context, service, requests, connections)),
      )
      return () => measurePages(context, shares)
    }
    try {
      const { one, two, four } = await alternate(
        context,
        { one: await start(1), two: await start(2), four: await start(4) },
        ({ perSecond, peak }) => `${showNumber(perSecond)}/s, ${Math.round(peak)} MiB`,
      )
      return pageFigures(one, [
        ['2 processes', two],
        ['4 processes', four],
      ])
    } finally {
      await Promise.all(started.map((service) => service.stop()))
    }
  })
}

/** Each process serves its own part of the users, by its own part of the connections. */
const shareUsers = ({ users }: QueryBench, services: readonly StartedService[]) =>
  services.map((service, index) => ({
    service,
    requests: ownRequests({ users: users.filter((_, user) => user % services.length === index) }, '/'),
    connections: connections / services.length,
  }))

async function measurePages({ serverProcesses, smoke }: BenchContext, shares: ReturnType<typeof shareUsers>) {
  const pids = shares.map(({ service }) => service.pid)
  const loadAll = async () => {
    const loads = shares.map(({ service, ...options }) =>
      load({ baseUrl: service.url, seconds: smoke ? 0.5 : 5, ...options }),
    )
    const results = await Promise.all(loads)
    const sumOf = (name: 'requests' | 'perSecond') => results.reduce((sum, result) => sum + result[name], 0)
    return { requests: sumOf('requests'), perSecond: sumOf('perSecond') }
  }
  const measured = await withCpuTime({ service: pids, ...serverProcesses }, loadAll, ({ requests }) => requests)
  // The peak is that of all rounds until now.
  const usages = await Promise.all(pids.map(processUsage))
  return { ...measured, peak: Math.max(...usages.map(({ peakMemoryBytes }) => peakMemoryBytes)) / mebi }
}

type MeasuredPages = readonly Awaited<ReturnType<typeof measurePages>>[]

function pageFigures(one: MeasuredPages, others: readonly (readonly [by: string, MeasuredPages])[]): Figure[] {
  const rates = (measured: MeasuredPages) => ({
    measured: measured.map(({ perSecond }) => perSecond),
    cpu: cpuTimes(measured),
  })
  const peaks = (measured: MeasuredPages) => measured.map(({ peak }) => peak)
  const name = '1 process'
  return [
    ...others.flatMap(([by, several]) => [
      {
        what: `page of 20, ${by} of query`,
        unit: 'requests/s',
        ...rates(several),
        beside: { name, ...rates(one) },
      },
      {
        what: `peak memory of a process of query, ${by}`,
        unit: 'MiB',
        measured: peaks(several),
        beside: { name, measured: peaks(one) },
      },
    ]),
    ...perCore('pages of 20 that a core serves in query, from its CPU time', 'requests/s', one, 'service'),
    ...perCore('pages of 20 that a core serves in MongoDB, from its CPU time', 'requests/s', one, 'mongod'),
  ]
}
