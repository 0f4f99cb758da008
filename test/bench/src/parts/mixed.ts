import { eventually } from '@herald/test-servers'
import type { Figure } from '../figure.ts'
import { populationOf, recipients } from '../load/capacity.ts'
import { distributionOf } from '../load/distribution.ts'
import { type LoadedHerald, withLoadedHerald } from '../load/loaded-herald.ts'
import type { Loader } from '../load/loader.ts'
import { alternate, type BenchContext, type Part } from '../part.ts'

const eventsPerSecond = 400
/** One in this many events is looked for in a list. */
const every = 8
const pageSize = 20
const markingUsers = 300
const requestsPerSecond = { page: 400, mark: 100, count: 100 } as const

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
  about: 'events, lists, 500 streams, pages, marks and counts together, each against itself alone',
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
async function createRun({ servers, smoke }: BenchContext, { herald, database, users, start, next }: LoadedHerald) {
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
  const reader = await start('list', { url, users, recipients, every })
  const streams = smoke ? 20 : 500
  const requesters = {
    page: await start('request', { url, users, kind: 'page' }),
    mark: await start('request', { url, users: users.slice(0, markingUsers), kind: 'mark' }),
    count: await start('request', { url, users, kind: 'count' }),
  }

  return async (chosen: readonly Path[]): Promise<Measured> => {
    const seconds = smoke ? 0.5 : 10
    const listeners = chosen.includes('streamed')
      ? await start('listen', { url, users, recipients, streams })
      : undefined
    const events = next(eventsPerSecond, seconds)
    const p99Of = async (path: Path, loader: Loader | undefined, schedule = events) => {
      if (loader === undefined || !chosen.includes(path)) return []
      return [[path, distributionOf(await loader.run(schedule)).p99] as const]
    }
    const isPublishing = chosen.includes('listed') || chosen.includes('streamed')
    const [measured] = await Promise.all([
      Promise.all([
        p99Of('listed', reader),
        p99Of('streamed', listeners),
        ...(['page', 'mark', 'count'] as const).map((kind) =>
          p99Of(kind, requesters[kind], next(requestsPerSecond[kind], seconds)),
        ),
      ]),
      isPublishing ? publisher.run(events) : undefined,
    ])
    await listeners?.stop()
    return Object.fromEntries(measured.flat())
  }
}
