import type { Figure } from '../figure.ts'
import type { BenchContext } from '../part.ts'
import { eventCapacity, pageCapacity, populationOf, recipients } from './capacity.ts'
import { type Distribution, distributionOf } from './distribution.ts'
import { type LoadedHerald, withLoadedHerald } from './loaded-herald.ts'

export type Path = 'produced → listed' | 'page'
/** Runs a path at a share of its capacity, in percent. */
type RunAt = (percent: number, seconds: number) => Promise<Distribution>
export type Paths = { readonly capacities: Figure[]; readonly runAt: Readonly<Record<Path, RunAt>> }

/** Runs `task` with an event path and a page path, each in an open loop, and what this machine can do of each. */
export function withPaths<T>(context: BenchContext, task: (paths: Paths) => Promise<T>): Promise<T> {
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
