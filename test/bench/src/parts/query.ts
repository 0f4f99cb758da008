import { randomUUID } from 'node:crypto'
import { allRounds, alternate } from '../alternate.ts'
import type { Figure } from '../figure.ts'
import type { BenchContext, Part } from '../part.ts'
import { type QueryBench, withQuery } from '../query/bench-query.ts'
import type { LoadRequest } from '../query/http-load.ts'
import { settledUnread, shuffledMarks } from '../query/marks.ts'
import {
  connections,
  type MeasuredRequests,
  measureRequests,
  ownRequests,
  requestFigure,
  type Server,
  showRequests,
  verifyTokens,
} from '../query/measure-requests.ts'
import { medianOf, showMilliseconds } from '../query/median-latency.ts'
import type { User } from '../query/population.ts'
import { startCeiling } from '../query/servers.ts'
import { warmUp } from './warm-up.ts'

const unit = 'requests/s'
const typical = 'typical implementation'
const pageSize = 20
const groupRequests = 400

/** The rates of the query service, compared with plain programs on MongoDB's driver. */
export const query: Part = {
  name: 'query',
  about: 'a page of 20, a mark, the unread count and groups, by 16 connections for 10,000 users',
  rounds: 5,
  run: async (context) => {
    const { smoke } = context
    const [users, unread] = smoke ? [1_000, 30] : [10_000, 1_000]
    const feeds = await withQuery(context, { users, notificationsEach: 30 }, async (bench) => [
      ...(await measurePages(context, bench)),
      ...(await measureMarks(context, bench)),
    ])
    const counts = await withQuery(context, { users: smoke ? 20 : 200, notificationsEach: unread }, (bench) =>
      measureCounts(context, bench, unread),
    )
    return [...feeds, ...counts]
  },
}

async function measurePages(context: BenchContext, bench: QueryBench): Promise<Figure[]> {
  await verifyPage(bench)
  const { herald, naive, copy, first } = await withCeilings(
    context,
    bench,
    ['naive', 'copy'],
    async (ceilings, seconds) => {
      await warmUp(context, bench.query, ownRequests(bench, '/'))
      for (const ceiling of Object.values(ceilings)) await warmUp(context, ceiling, plain(bench))
      return alternate(
        context,
        {
          herald: async () => {
            await verifyTokens(bench)
            return measureRequests(context, bench.query, { requests: ownRequests(bench, '/'), seconds })
          },
          naive: () => measureRequests(context, ceilings.naive, { requests: plain(bench), seconds }),
          copy: () => measureRequests(context, ceilings.copy, { requests: plain(bench), seconds }),
          // New tokens, so that each signature is verified.
          first: async () => {
            const users = await Promise.all(bench.users.map((user) => withNewToken(bench, user)))
            const requests = users.map(({ token }) => ({ path: '/', token }))
            return measureRequests(context, bench.query, { requests, once: true, seconds: 0 })
          },
        },
        showRequests,
      )
    },
  )
  const page = { what: 'page of 20, authenticated', unit, ...requestFigure(herald) }
  return [
    { ...page, beside: { name: typical, ...requestFigure(naive) }, goal: { atLeast: 2.2 } },
    // Rates would contain the load generator, which takes a larger share of the cores the faster a server is.
    {
      what: 'CPU time of query for a page of 20',
      unit: 'µs',
      measured: serviceTimes(herald),
      beside: { name: 'copy of the stored bytes', measured: serviceTimes(copy) },
      goal: { atMost: 1.35 },
    },
    {
      what: 'page of 20, the first request with its token',
      unit,
      ...requestFigure(first),
      beside: { name: typical, ...requestFigure(naive) },
      goal: { atLeast: 1 },
    },
  ]
}

const serviceTimes = (results: readonly MeasuredRequests[]) => results.map(({ cpu }) => cpu.service ?? Number.NaN)

async function verifyPage({ query, users }: QueryBench): Promise<void> {
  const response = await fetch(query.url, { headers: { authorization: `Bearer ${users[0]?.token}` } })
  const { data } = (await response.json()) as { data: { notifications: unknown[] } }
  if (data.notifications.length !== pageSize) throw new Error(`A page has ${data.notifications.length} notifications`)
}

async function withNewToken({ tokens }: QueryBench, user: User): Promise<User> {
  const { userId, subscriberId } = user
  return { ...user, token: await tokens.sign({ sub: userId, subscriber_id: subscriberId, jti: randomUUID() }) }
}

async function measureMarks(context: BenchContext, bench: QueryBench): Promise<Figure[]> {
  await verifyTokens(bench)
  const marks = await shuffledMarks(bench)
  // Every turn and warm-up gets other marks, so that each changes its notification.
  const perTurn = Math.floor(marks.length / (2 * (allRounds(context) + 1)))
  let turn = 0
  const next = () => marks.slice(turn * perTurn, ++turn * perTurn)
  const verified = async (server: Server, seconds: number, requests: readonly LoadRequest[]) => {
    const before = await settledUnread(bench)
    const measured = await measureRequests(context, server, { seconds, requests })
    const changed = (await settledUnread(bench)) - before
    // A request of each connection may be under way when the time is over.
    if (changed < measured.requests || changed > measured.requests + connections) {
      throw new Error(`${measured.requests} marks changed ${changed} notifications`)
    }
    return measured
  }
  const { herald, mark } = await withCeilings(context, bench, ['mark'], async (ceilings, seconds) => {
    const nextOwn = () => next().map(({ own }) => own)
    const nextPlain = () => next().map(({ plain }) => plain)
    await warmUp(context, bench.query, nextOwn())
    await warmUp(context, ceilings.mark, nextPlain())
    return alternate(
      context,
      {
        herald: () => verified(bench.query, seconds, nextOwn()),
        mark: () => verified(ceilings.mark, seconds, nextPlain()),
      },
      showRequests,
    )
  })
  return [
    {
      what: 'mark unread',
      unit,
      ...requestFigure(herald),
      beside: { name: 'findAndModify only', ...requestFigure(mark) },
      goal: { atLeast: 0.85 },
    },
  ]
}

async function measureCounts(context: BenchContext, bench: QueryBench, unread: number): Promise<Figure[]> {
  const path = '/notifications/unread-count'
  for (const { token } of bench.users.slice(0, 10)) {
    const response = await fetch(`${bench.query.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
    const { data } = (await response.json()) as { data: { unreadCount: number } }
    if (data.unreadCount !== unread) throw new Error(`${data.unreadCount} unread, expected ${unread}`)
  }
  const { herald, count } = await withCeilings(context, bench, ['count'], async (ceilings, seconds) => {
    await warmUp(context, bench.query, ownRequests(bench, path))
    await warmUp(context, ceilings.count, plain(bench))
    return alternate(
      context,
      {
        herald: () => measureRequests(context, bench.query, { requests: ownRequests(bench, path), seconds }),
        count: () => measureRequests(context, ceilings.count, { requests: plain(bench), seconds }),
      },
      showRequests,
    )
  })
  const get = (path: string) => () =>
    medianOf(
      Array.from({ length: groupRequests }, (_, n) => n % bench.users.length),
      (user) => fetch(bench.query.url + path, { headers: { authorization: `Bearer ${bench.users[user]?.token}` } }),
    )
  const latencies = await alternate(context, { groups: get('/notifications/groups'), page: get('/') }, showMilliseconds)
  return [
    {
      what: `p50 of groups of ${unread} unread`,
      unit: 'ms',
      measured: latencies.groups,
      beside: { name: 'a page of 20', measured: latencies.page },
    },
    {
      what: `unread count, ${unread} unread`,
      unit,
      ...requestFigure(herald),
      beside: { name: 'a covered count of the same keys', ...requestFigure(count) },
      goal: { atLeast: 0.85 },
    },
  ]
}

const plain = ({ users }: QueryBench): LoadRequest[] =>
  users.map(({ subscriberId, userId }) => ({ path: `/${subscriberId}/${userId}` }))

/** Runs `task` with the ceilings started. */
async function withCeilings<Mode extends string, T>(
  { servers, smoke }: BenchContext,
  { database }: QueryBench,
  modes: readonly Mode[],
  task: (ceilings: Readonly<Record<Mode, Server>>, seconds: number) => Promise<T>,
): Promise<T> {
  const started = await Promise.all(modes.map((mode) => startCeiling(mode, servers.mongodbUri, database.databaseName)))
  try {
    const ceilings = Object.fromEntries(modes.map((mode, index) => [mode, started[index] as Server])) as Record<
      Mode,
      Server
    >
    return await task(ceilings, smoke ? 1 : 5)
  } finally {
    for (const ceiling of started) await ceiling.stop()
  }
}
