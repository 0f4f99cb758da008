import type { Figure } from '../figure.ts'
import { eventCapacity, pageCapacity, populationOf, recipients } from '../load/capacity.ts'
import { type Distribution, distributionOf, showDistribution } from '../load/distribution.ts'
import { type LoadedHerald, withLoadedHerald } from '../load/loaded-herald.ts'
import type { BenchContext, Part } from '../part.ts'

const levels = [20, 40, 60, 80, 90, 100] as const
type Path = 'produced → listed' | 'page'
/** Runs a path at a share of its capacity, in percent. */
type RunAt = (percent: number, seconds: number) => Promise<Distribution>

/** How latencies grow with the load: both paths in an open loop, each at shares of what this machine can do. */
export const knee: Part = {
  name: 'knee',
  about: `produced → listed, and a page, at ${levels.join(', ')} % of capacity`,
  rounds: 5,
  run: (context) =>
    withPaths(context, async (paths) => {
      const figures: Figure[] = paths.capacities
      const chosen = context.smoke ? ([20, 80] as const) : levels
      for (const path of ['produced → listed', 'page'] as const) {
        const measured = new Map<number, Distribution[]>(chosen.map((percent) => [percent, []]))
        for (let round = 1; round <= context.rounds; round++) {
          for (const percent of chosen) {
            const found = await paths.runAt[path](percent, context.smoke ? 0.2 : 10)
            measured.get(percent)?.push(found)
            context.log(`round ${round} of ${context.rounds}, ${path} at ${percent} %: ${showDistribution(found)}`)
          }
        }
        figures.push(...chosen.flatMap((percent) => pointsOf(path, percent, measured.get(percent) ?? [])))
      }
      return figures
    }),
}

/** Ten minutes at half of the capacity, and ten at four fifths. */
export const sustained: Part = {
  name: 'sustained',
  about: 'produced → listed for 10 minutes at 50 % of capacity, and for 10 at 80 %',
  rounds: 1,
  run: (context) =>
    withPaths(context, async ({ runAt }) => {
      const figures: Figure[] = []
      for (const percent of [50, 80]) {
        const found = await runAt['produced → listed'](percent, context.smoke ? 0.5 : 600)
        context.log(`${percent} %: ${showDistribution(found)}`)
        figures.push(...sustainedFigures(percent, found))
      }
      return figures
    }),
}

const quantiles = { p50: 'p50', p99: 'p99', p999: 'p99.9' } as const
type Quantile = keyof typeof quantiles
const names = Object.keys(quantiles) as Quantile[]

function pointsOf(path: Path, percent: number, measured: readonly Distribution[]): Figure[] {
  return names.map((name) => ({
    what: `${path} at ${percent} % of capacity, ${quantiles[name]}`,
    unit: 'ms',
    measured: measured.map((found) => found[name]),
    point: { picture: 'knee', line: `${path}, ${quantiles[name]}`, x: percent },
    ...(percent === 80 && name === 'p99' && { goal: { atMost: 100 } }),
  }))
}

const sustainedGoals: Record<Quantile, number> = { p50: 12, p99: 50, p999: 150 }

function sustainedFigures(percent: number, found: Distribution): Figure[] {
  return names.map((name) => ({
    what: `produced → listed for 10 minutes at ${percent} % of capacity, ${quantiles[name]}`,
    unit: 'ms',
    measured: [found[name]],
    ...(percent === 50 && { goal: { atMost: sustainedGoals[name] } }),
  }))
}

type Paths = { readonly capacities: Figure[]; readonly runAt: Readonly<Record<Path, RunAt>> }

function withPaths<T>(context: BenchContext, task: (paths: Paths) => Promise<T>): Promise<T> {
  return withLoadedHerald(context, populationOf(context), async (loaded) => {
    const events = await createEventPath(context, loaded)
    const pages = await createPagePath(context, loaded)
    const capacity = (what: string, unit: string, value: number) => ({ what, unit, measured: [value] })
    return task({
      capacities: [
        capacity(
          `capacity: mentions of ${recipients} recipients, with their producer and readers`,
          'events/s',
          events.capacity,
        ),
        capacity('capacity: pages, with their readers', 'requests/s', pages.capacity),
      ],
      runAt: { 'produced → listed': events.runAt, page: pages.runAt },
    })
  })
}

async function createEventPath(context: BenchContext, loaded: LoadedHerald) {
  const { herald, users, start, next } = loaded
  const { kafkaBrokers: brokers } = context.servers
  const publisher = await start('publish', { brokers, topic: herald.topics.mention, users, recipients })
  const reader = await start('list', { url: herald.query.url, users, recipients })
  const capacity = await eventCapacity(context, loaded, [publisher, reader])
  const runAt: RunAt = async (percent, seconds) => {
    const schedule = next((capacity * percent) / 100, seconds)
    const [listed = []] = await Promise.all([reader, publisher].map((loader) => loader.run(schedule)))
    return distributionOf(listed)
  }
  return { capacity, runAt }
}

async function createPagePath(context: BenchContext, loaded: LoadedHerald) {
  const { herald, users, start, next } = loaded
  const requester = await start('request', { url: herald.query.url, users, kind: 'page' })
  const capacity = await pageCapacity(context, loaded, requester)
  const runAt: RunAt = async (percent, seconds) =>
    distributionOf(await requester.run(next((capacity * percent) / 100, seconds)))
  return { capacity, runAt }
}
