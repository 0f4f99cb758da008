import { randomUUID } from 'node:crypto'
import type { Binary } from 'mongodb'
import type { Figure } from '../figure.ts'
import { randomIntegers } from '../measure.ts'
import { alternate, type BenchContext, type Part } from '../part.ts'
import { type QueryBench, withQuery } from '../query/bench-query.ts'
import { type LoadRequest, type LoadResult, load } from '../query/http-load.ts'
import type { User } from '../query/population.ts'
import { startCeiling } from '../query/servers.ts'
import { showNumber } from '../report.ts'

const show = ({ perSecond, p50, p99 }: LoadResult) => `${showNumber(perSecond)}/s, p50 ${p50} ms, p99 ${p99} ms`
const rates = (results: readonly LoadResult[]) => results.map(({ perSecond }) => perSecond)
const unit = 'requests/s'
const typical = 'typical implementation'

/** The rates of the query service, compared with plain programs on Fastify and MongoDB's driver. */
export const query: Part = {
  name: 'query',
  about: 'a page of 20, a mark and the unread count, by 16 connections for 10,000 users',
  run: (context) =>
    withQuery(context, { users: context.smoke ? 200 : 10_000, notificationsEach: 30 }, async (bench) => {
      const pages = await measurePages(context, bench)
      return [
        ...pages.figures,
        ...(await measureMarks(context, bench)),
        ...(await measureCounts(context, bench)),
        await measureFirstRequests(context, bench, pages.naive),
      ]
    }),
}

async function measurePages(context: BenchContext, bench: QueryBench) {
  // Each user's token is verified at the first request, whose cost is a separate figure.
  await load({ baseUrl: bench.query.url, requests: own(bench, '/'), once: true, seconds: 0 })
  const { herald, naive, raw } = await withCeilings(context, bench, ['naive', 'raw'], (urls, seconds) =>
    alternate(
      context,
      {
        herald: () => load({ baseUrl: bench.query.url, requests: own(bench, '/'), seconds }),
        naive: () => load({ baseUrl: urls.naive as string, requests: plain(bench), seconds }),
        raw: () => load({ baseUrl: urls.raw as string, requests: plain(bench), seconds }),
      },
      show,
    ),
  )
  const measured = rates(herald)
  const what = 'page of 20, authenticated'
  const figures: Figure[] = [
    {
      ...{ what, unit, measured },
      beside: { name: typical, measured: rates(naive) },
      goal: { atLeast: 1.6 },
    },
    {
      ...{ what, unit, measured },
      beside: { name: 'raw BSON, not decoded', measured: rates(raw) },
      goal: { atLeast: 0.75 },
    },
  ]
  return { figures, naive: rates(naive) }
}

/** Pages requested with new tokens, so that each signature is verified. */
async function measureFirstRequests(context: BenchContext, bench: QueryBench, naive: readonly number[]) {
  const { first } = await alternate(
    context,
    {
      first: async () => {
        const users = await Promise.all(bench.users.map((user) => withNewToken(bench, user)))
        const requests = users.map(({ token }) => ({ path: '/', token }))
        return load({ baseUrl: bench.query.url, requests, once: true, seconds: 0 })
      },
    },
    show,
  )
  const what = 'page of 20, the first request with its token'
  return { what, unit, measured: rates(first), beside: { name: typical, measured: naive } }
}

async function withNewToken({ tokens }: QueryBench, user: User): Promise<User> {
  const { userId, subscriberId } = user
  return { ...user, token: await tokens.sign({ sub: userId, subscriber_id: subscriberId, jti: randomUUID() }) }
}

async function measureMarks(context: BenchContext, bench: QueryBench): Promise<Figure[]> {
  const marks = await shuffledMarks(bench)
  // Every turn gets other marks, so that each changes its notification.
  const perTurn = Math.floor(marks.length / (2 * context.rounds))
  let turn = 0
  const next = () => marks.slice(turn * perTurn, ++turn * perTurn)
  const { herald, mark } = await withCeilings(context, bench, ['mark'], (urls, seconds) =>
    alternate(
      context,
      {
        herald: () => load({ baseUrl: bench.query.url, seconds, requests: next().map(({ own }) => own) }),
        mark: () => load({ baseUrl: urls.mark as string, seconds, requests: next().map(({ plain }) => plain) }),
      },
      show,
    ),
  )
  return [
    {
      what: 'mark unread',
      unit,
      measured: rates(herald),
      beside: { name: 'findOneAndUpdate only', measured: rates(mark) },
      goal: { atLeast: 0.7 },
    },
  ]
}

/** Marks every notification as read, and returns requests to mark each as unread, in random order. */
async function shuffledMarks({ users, database }: QueryBench): Promise<{ own: LoadRequest; plain: LoadRequest }[]> {
  const notifications = database.collection<{ _id: Binary }>('notifications')
  const at = new Date()
  await notifications.updateMany({}, { $set: { readAt: at, readStateAt: at }, $unset: { unread: true } })
  const tokens = new Map(users.map(({ userId, token }) => [userId, token]))
  const marks: { own: LoadRequest; plain: LoadRequest }[] = []
  for await (const { _id } of notifications.find({}, { projection: { _id: 1 } })) {
    const [subscriber, user, id] = uuidsIn(_id)
    const token = tokens.get(user as string) as string
    marks.push({
      own: { method: 'PATCH', path: `/notifications/${id}/unread`, token },
      plain: { method: 'PATCH', path: `/${subscriber}/${user}/${id}` },
    })
  }
  const below = randomIntegers(1)
  for (let i = marks.length - 1; i > 0; i--) {
    const j = below(i + 1)
    const [a, b] = [marks[i], marks[j]]
    if (a && b) [marks[i], marks[j]] = [b, a]
  }
  return marks
}

function uuidsIn(key: Binary): string[] {
  const hex = key.toString('hex')
  return [0, 32, 64].map((at) => {
    const part = hex.slice(at, at + 32)
    return `${part.slice(0, 8)}-${part.slice(8, 12)}-${part.slice(12, 16)}-${part.slice(16, 20)}-${part.slice(20)}`
  })
}

async function measureCounts(context: BenchContext, bench: QueryBench): Promise<Figure[]> {
  const { herald, ping } = await withCeilings(context, bench, ['ping'], (urls, seconds) =>
    alternate(
      context,
      {
        herald: () => load({ baseUrl: bench.query.url, requests: own(bench, '/notifications/unread-count'), seconds }),
        ping: () => load({ baseUrl: urls.ping as string, requests: plain(bench), seconds }),
      },
      show,
    ),
  )
  return [
    {
      what: 'unread count',
      unit,
      measured: rates(herald),
      beside: { name: 'a ping of MongoDB', measured: rates(ping) },
      goal: { atLeast: 0.4 },
    },
  ]
}

const own = ({ users }: QueryBench, path: string): LoadRequest[] => users.map(({ token }) => ({ path, token }))
const plain = ({ users }: QueryBench): LoadRequest[] =>
  users.map(({ subscriberId, userId }) => ({ path: `/${subscriberId}/${userId}` }))

/** Runs `task` with the ceilings started. */
async function withCeilings<T>(
  { servers, smoke }: BenchContext,
  { database }: QueryBench,
  modes: readonly string[],
  task: (urls: Readonly<Record<string, string>>, seconds: number) => Promise<T>,
): Promise<T> {
  const started = await Promise.all(modes.map((mode) => startCeiling(mode, servers.mongodbUri, database.databaseName)))
  try {
    const urls = Object.fromEntries(modes.map((mode, index) => [mode, started[index]?.url ?? '']))
    return await task(urls, smoke ? 1 : 5)
  } finally {
    for (const ceiling of started) await ceiling.stop()
  }
}
