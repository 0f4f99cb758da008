import { eventually } from '@herald/test-servers'
import { alternate } from '../alternate.ts'
import type { Figure } from '../figure.ts'
import { mixCapacity, populationOf, recipients } from '../load/capacity.ts'
import { distributionOf } from '../load/distribution.ts'
import { type LoadedHerald, withLoadedHerald } from '../load/loaded-herald.ts'
import type { Loader } from '../load/loader.ts'
import type { BenchContext, Part } from '../part.ts'

/** The number of operations of each kind, for one event. */
const mix = { page: 1, mark: 0.3, count: 0.3 } as const
/** The share of the mix that the machine can do. */
const share = 0.5
const pageSize = 20
const markingUsers = 300

const paths = {
  listed: 'produced → listed',
  streamed: 'produced → on a stream',
  page: 'a page',
  mark: 'a mark',
  count: 'an unread count',
} as const
type Path = keyof typeof paths
const allPaths = Object.keys(paths) as Path[]
/** The p99 of each path that ran. */
type Measured = Partial<Record<Path, number>>

/** All loads at once, and each of them alone. */
export const mixed: Part = {
  name: 'mixed',
  about:
    'events, lists, 500 streams, pages, marks and counts at half of what the machine can do together, and each alone',
  rounds: 5,
  run: (context) =>
    withLoadedHerald(context, populationOf(context), async (loaded) => {
      const run = await createRun(context, loaded)
      const turns = Object.fromEntries(allPaths.map((path) => [path, () => run([path])]))
      const { together = [], ...alone } = await alternate<string, Measured>(
        context,
        { ...turns, together: () => run(allPaths) },
        showMeasured,
      )
      const of = (rounds: readonly Measured[] | undefined, path: Path) =>
        (rounds ?? []).map((measured) => measured[path] ?? Number.NaN)
      return allPaths.map(
        (path): Figure => ({
          what: `p99 of ${paths[path]}, all loads together`,
          unit: 'ms',
          measured: of(together, path),
          beside: { name: 'alone', measured: of(alone[path], path) },
          goal: { atMost: 3 },
        }),
      )
    }),
}

const showMeasured = (measured: Measured) =>
  Object.entries(measured)
    .map(([path, p99]) => `${path} ${p99.toFixed(1)} ms`)
    .join(', ')

/** Returns a function that runs the loads of these paths together. Streams are open only while they are measured. */
async function createRun(context: BenchContext, loaded: LoadedHerald) {
  const { servers, smoke } = context
  const { herald, database, users, start, next } = loaded
  const { url } = herald.query
  const publisher = await start('publish', {
    brokers: servers.kafkaBrokers,
    topic: herald.topics.mention,
    users,
    recipients,
  })
  // For a page of each user, and the marks.
  await publisher.run(next(2_000, (users.length / recipients) * (pageSize / 2_000)))
  await eventually(
    async () => (await database.collection('notifications').estimatedDocumentCount()) >= users.length * pageSize,
    { description: 'every user has a page', within: 60_000 },
  )
  const reader = await start('list', { url, users, recipients })
  const streams = smoke ? 20 : 500
  const requesters = {
    page: await start('request', { url, users, kind: 'page' }),
    mark: await start('request', { url, users: users.slice(0, markingUsers), kind: 'mark' }),
    count: await start('request', { url, users, kind: 'count' }),
  }

  /** The latencies of each path that is chosen. */
  async function run(chosen: readonly Path[], perSecond: number, seconds: number) {
    const listeners = chosen.includes('streamed')
      ? await start('listen', { url, users, recipients, streams })
      : undefined
    const produced = next(perSecond, seconds)
    const latenciesOf = async (path: Path, loader: Loader | undefined, schedule = produced) => {
      if (loader === undefined || !chosen.includes(path)) return []
      return [[path, await loader.run(schedule)] as const]
    }
    const isPublishing = chosen.includes('listed') || chosen.includes('streamed')
    const [measured] = await Promise.all([
      Promise.all([
        latenciesOf('listed', reader),
        latenciesOf('streamed', listeners),
        ...(['page', 'mark', 'count'] as const).map((kind) =>
          latenciesOf(kind, requesters[kind], next(perSecond * mix[kind], seconds)),
        ),
      ]),
      isPublishing ? publisher.run(produced) : undefined,
    ])
    await listeners?.stop()
    return measured.flat()
  }

  const capacity = await mixCapacity(context, async (perSecond, seconds) =>
    (await run(allPaths, perSecond, seconds)).map(([, latencies]) => latencies),
  )
  return async (chosen: readonly Path[]): Promise<Measured> => {
    const measured = await run(chosen, capacity * share, smoke ? 0.5 : 15)
    return Object.fromEntries(measured.map(([path, latencies]) => [path, distributionOf(latencies).p99]))
  }
}
