import { createTokenIssuer } from '@herald/token-issuer'
import { Kafka, logLevel } from 'kafkajs'
import { now } from '../clock.ts'
import { type Figure, median } from '../figure.ts'
import { mentionNow } from '../ingest/events.ts'
import { fillTopic } from '../ingest/fill-topic.ts'
import { eventCapacity, populationOf, recipients } from '../load/capacity.ts'
import { distributionOf } from '../load/distribution.ts'
import { type LoadedHerald, withLoadedHerald } from '../load/loaded-herald.ts'
import { createUsers, recipientsOf } from '../load/recipients.ts'
import type { BenchContext, Part } from '../part.ts'
import { withLateEviction } from './late-eviction.ts'

/** An hour would take an hour: the events of another hour come meanwhile, at half of the capacity. */
const lagSeconds = 60
const windowSeconds = 4
const pagesPerSecond = 100
const [late, fresh] = [
  [0, 1, 2],
  [3, 4, 5],
] as const

type Window = { readonly share: number; readonly page: number; readonly listed: number }
type Round = { readonly seconds: number; readonly during: readonly Window[]; readonly after: Window }

/** Half of the partitions have a backlog of a minute at half of the capacity; new events come to the others at that rate. */
export const backlog: Part = {
  name: 'backlog',
  about: `catching up with ${lagSeconds} s of lag, and pages and new events meanwhile`,
  rounds: 5,
  run: withLateEviction(async (context) => {
    const capacity = await withLoadedHerald(context, populationOf(context), async (loaded) =>
      eventCapacity(context, loaded, [await startPublisher(context, loaded), await startReader(loaded)]),
    )
    const measured: Round[] = []
    for (let round = 1; round <= context.rounds; round++) {
      const found = await measureRound(context, capacity / 2)
      measured.push(found)
      context.log(`round ${round} of ${context.rounds}: caught up in ${found.seconds.toFixed(0)} s`)
    }
    return toFigures(measured)
  }),
}

function startPublisher(
  { servers }: BenchContext,
  { herald, users, start }: LoadedHerald,
  partitions?: readonly number[],
) {
  const { kafkaBrokers: brokers } = servers
  const topic = herald.topics.mention
  return start('publish', { brokers, topic, users, recipients, ...(partitions && { partitions }) })
}

const startReader = ({ herald, users, start }: LoadedHerald) =>
  start('list', { url: herald.query.url, users, recipients })

async function measureRound(context: BenchContext, perSecond: number): Promise<Round> {
  const events = Math.round(perSecond * (context.smoke ? 2 : lagSeconds))
  let begun = 0
  const prepare = async ({ mention }: { readonly mention: string }) => {
    await fillLate(context, mention, events)
    begun = now()
  }
  return withLoadedHerald(context, { ...populationOf(context), prepare }, async (loaded) => {
    const { herald, users, start, next } = loaded
    const { url } = herald.query
    const publisher = await startPublisher(context, loaded, fresh)
    const reader = await startReader(loaded)
    const pages = await start('request', { url, users, kind: 'page' })
    const lag = await createLagReader(context, herald.topics.mention, events)
    const measure = async (share: number): Promise<Window> => {
      const seconds = context.smoke ? 0.5 : windowSeconds
      const schedule = next(perSecond, seconds)
      const [listed, page] = await Promise.all([
        reader.run(schedule),
        pages.run(next(pagesPerSecond, seconds)),
        publisher.run(schedule),
      ])
      return { share, listed: distributionOf(listed).p99, page: distributionOf(page).p99 }
    }
    const during: Window[] = []
    try {
      let share = 0
      do {
        during.push(await measure(share))
        share = await lag.share()
      } while (share < 1)
      const seconds = (now() - begun) / 1_000
      return { seconds, during, after: await measure(1) }
    } finally {
      await lag.close()
    }
  })
}

/** Fills the late partitions with mentions of other users. */
async function fillLate({ servers }: BenchContext, topic: string, events: number): Promise<void> {
  const others = await createUsers(await createTokenIssuer(), { groups: 100, recipients, subscribers: 50 })
  await fillTopic(servers.kafkaBrokers, topic, events, (sequence) => {
    const named = recipientsOf(others, recipients, sequence)
    const userIds = named.map(({ userId }) => userId)
    const event = mentionNow(sequence, named[0]?.subscriberId ?? '', userIds)
    return { ...event, partition: late[sequence % late.length] as number }
  })
}

/** Reads the share of the backlog that is committed. */
async function createLagReader({ servers }: BenchContext, topic: string, events: number) {
  const admin = new Kafka({ brokers: servers.kafkaBrokers, logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
  return {
    async share(): Promise<number> {
      const [found] = await admin.fetchOffsets({ groupId: `herald-ingest-${topic}`, topics: [topic] })
      const committed = (found?.partitions ?? [])
        .filter(({ partition }) => partition < late.length)
        .reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0)
      return committed / events
    },
    close: () => admin.disconnect(),
  }
}

function toFigures(measured: readonly Round[]): Figure[] {
  const ofWindows = (take: (window: Window) => number) => ({
    measured: measured.map(({ during }) => median(during.map(take))),
    beside: { name: 'afterwards', measured: measured.map(({ after }) => take(after)) },
  })
  return [
    {
      what: `time to catch up with ${lagSeconds} s of lag, while as much arrives`,
      unit: 's',
      measured: measured.map(({ seconds }) => seconds),
    },
    { what: 'p99 of a page while ingest catches up', unit: 'ms', ...ofWindows(({ page }) => page) },
    {
      what: 'p99 of produced → listed of other partitions while ingest catches up',
      unit: 'ms',
      ...ofWindows(({ listed }) => listed),
    },
    ...pointsOf(measured, 'page', ({ page }) => page),
    ...pointsOf(measured, 'produced → listed of other partitions', ({ listed }) => listed),
  ]
}

/** A point for each tenth of the backlog, from all windows that begin in it. */
function pointsOf(measured: readonly Round[], path: string, take: (window: Window) => number): Figure[] {
  const tenths = Array.from({ length: 10 }, (_, tenth) => tenth)
  return tenths.flatMap((tenth) => {
    const own = measured.flatMap(({ during }) => during.filter(({ share }) => Math.floor(share * 10) === tenth))
    if (own.length === 0) return []
    const x = tenth * 10
    const what = `p99 of ${path}, ${x} % of the backlog stored`
    return [{ what, unit: 'ms', measured: own.map(take), point: { picture: 'backlog', line: `${path}, p99`, x } }]
  })
}
