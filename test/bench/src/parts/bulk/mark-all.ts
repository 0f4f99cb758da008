import { setTimeout as pause } from 'node:timers/promises'
import { now } from '../../clock.ts'
import type { Figure } from '../../figure.ts'
import { type Loader, startLoader } from '../../load/loader.ts'
import { dueAt, type Schedule } from '../../load/schedule.ts'
import { quantile } from '../../measure.ts'
import type { BenchContext } from '../../part.ts'
import { type QueryBench, withQuery } from '../../query/bench-query.ts'
import type { User } from '../../query/population.ts'

const pagesPerSecond = 200

/** Marks all notifications of one user, while a process of its own requests pages of other users. */
export async function measureMarkAll(context: BenchContext): Promise<Figure[]> {
  const { smoke, rounds, log } = context
  const unread = smoke ? 500 : 100_000
  const scale = { users: 4, notificationsEach: unread, recipients: 4 }
  return withQuery(context, scale, async (bench) => {
    const [marker, ...others] = bench.users as [User, ...User[]]
    const seconds: number[] = []
    const before: number[] = []
    const during: number[] = []
    const pages = await startLoader('request', { url: bench.query.url, users: others, kind: 'page' })
    try {
      // The first one is warm-up.
      for (let round = 0; round <= rounds; round++) {
        await unmark(bench, new Date())
        const quiet = await pages.run(nextPages(smoke ? 0.5 : 5))
        const { taken, meanwhile } = await markMeanwhile(bench, marker, unread, pages, smoke ? 1 : 15)
        if (round === 0) continue
        before.push(quantile(quiet, 0.99))
        seconds.push(taken)
        during.push(quantile(meanwhile, 0.99))
        log(`round ${round} of ${rounds}: ${taken.toFixed(2)} s, p99 ${during.at(-1)?.toFixed(1)} ms meanwhile`)
      }
    } finally {
      await pages.stop()
    }
    return [
      { what: `mark all read, ${unread} unread`, unit: 's', measured: seconds, goal: { atMost: 3 } },
      {
        what: 'p99 of other users’ pages meanwhile',
        unit: 'ms',
        measured: during,
        beside: { name: 'before', measured: before },
        goal: { atMost: 2 },
      },
    ]
  })
}

const nextPages = (seconds: number): Schedule => ({
  begin: now() + 100,
  perSecond: pagesPerSecond,
  first: 0,
  count: pagesPerSecond * seconds,
})

/** Marks all notifications of a user. Returns the seconds that it took, and the latencies of the pages that were due meanwhile. */
async function markMeanwhile(bench: QueryBench, { token }: User, unread: number, pages: Loader, atMost: number) {
  const schedule = nextPages(atMost)
  const running = pages.run(schedule)
  await pause(schedule.begin - now())
  const begun = now()
  const response = await fetch(`${bench.query.url}/notifications/read`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ all: true }),
  })
  const { data } = (await response.json()) as { data: { updated: number } }
  const ended = now()
  if (data.updated !== unread) throw new Error(`${data.updated} of ${unread} were marked`)
  const latencies = await running
  const meanwhile = latencies.filter((_, index) => dueAt(schedule, index) >= begun && dueAt(schedule, index) <= ended)
  return { taken: (ended - begun) / 1_000, meanwhile }
}

async function unmark({ database }: QueryBench, at: Date): Promise<void> {
  await database
    .collection('notifications')
    .updateMany({ box: { $ne: 0 } }, { $set: { box: 0, readStateAt: at }, $unset: { readAt: true } })
}
