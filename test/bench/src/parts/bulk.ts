import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { startService } from '@herald/local-herald'
import { createStore } from '@herald/store'
import { createTokenIssuer } from '@herald/token-issuer'
import type { Db } from 'mongodb'
import type { Figure } from '../figure.ts'
import { quantile } from '../measure.ts'
import { alternate, type BenchContext, type Part } from '../part.ts'
import { processUsage } from '../process-usage.ts'
import { type QueryBench, withQuery } from '../query/bench-query.ts'
import { changeEntry } from '../query/change-entries.ts'
import type { User } from '../query/population.ts'
import { takeAll } from '../query/take-all.ts'
import { showNumber } from '../report.ts'
import { serviceSettings } from '../settings.ts'

const mebi = 2 ** 20

/** Operations on very many documents: marking all as read, and exporting the change log. */
export const bulk: Part = {
  name: 'bulk',
  about: 'mark 100,000 read at once, and export 1,000,000 change entries',
  run: async (context) => [...(await measureMarkAll(context)), ...(await measureExport(context))],
}

async function measureMarkAll(context: BenchContext): Promise<Figure[]> {
  const unread = context.smoke ? 500 : 100_000
  const scale = { users: 10, notificationsEach: unread }
  return withQuery(context, scale, async (bench) => {
    const [marker, ...others] = bench.users as [User, ...User[]]
    const seconds: number[] = []
    const before: number[] = []
    const during: number[] = []
    for (let round = 0; round < context.rounds; round++) {
      const at = new Date()
      await unmark(bench, at)
      before.push(quantile(await pagesWhile(bench, others, pauseOf(context.smoke ? 200 : 3_000)), 0.99))
      const begun = performance.now()
      const marking = fetch(`${bench.query.url}/notifications/read`, {
        method: 'POST',
        headers: { authorization: `Bearer ${marker.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ all: true }),
      }).then(async (response) => {
        const { data } = (await response.json()) as { data: { updated: number } }
        if (data.updated !== unread) throw new Error(`${data.updated} of ${unread} were marked`)
        seconds.push((performance.now() - begun) / 1_000)
      })
      during.push(quantile(await pagesWhile(bench, others, marking), 0.99))
      await marking
      context.log(`round ${round + 1}: ${seconds.at(-1)?.toFixed(2)} s, p99 ${during.at(-1)?.toFixed(1)} ms meanwhile`)
    }
    return [
      { what: `mark all read, ${unread} unread`, unit: 's', measured: seconds, goal: { atMost: 5 } },
      {
        what: 'p99 of other users’ pages meanwhile',
        unit: 'ms',
        measured: during,
        beside: { name: 'before', measured: before },
        goal: { atMost: 3 },
      },
    ]
  })
}

const pauseOf = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

async function unmark({ database }: QueryBench, at: Date): Promise<void> {
  await database
    .collection('notifications')
    .updateMany({ unread: { $exists: false } }, { $set: { unread: true, readStateAt: at }, $unset: { readAt: true } })
}

/** Latencies in milliseconds of other users' pages, requested by two clients until `end`. */
async function pagesWhile({ query }: QueryBench, users: readonly User[], end: Promise<void>): Promise<number[]> {
  const times: number[] = []
  let isOver = false
  const over = end.finally(() => {
    isOver = true
  })
  const lane = async (first: number) => {
    for (let i = first; !isOver; i++) {
      const user = users[i % users.length] as User
      const begun = performance.now()
      const page = await fetch(query.url, { headers: { authorization: `Bearer ${user.token}` } })
      await page.text()
      times.push(performance.now() - begun)
    }
  }
  await Promise.all([lane(0), lane(1), over])
  return times
}

async function measureExport(context: BenchContext): Promise<Figure[]> {
  const { servers, client, log, smoke } = context
  const entries = smoke ? 2_000 : 1_000_000
  const name = `bench-${randomUUID()}`
  const tokens = await createTokenIssuer()
  const subscriberId = randomUUID()
  await storeEntries(servers.mongodbUri, name, subscriberId, entries)
  log(`${entries} change entries stored`)
  const { mongodbUri, kafkaBrokers } = servers
  const query = await startService('query', serviceSettings({ mongodbUri, database: name, tokens, kafkaBrokers }))
  const token = await tokens.sign({ subscriber_id: subscriberId })
  const { memoryBytes: idle } = await processUsage(query.pid)
  const extra: number[] = []
  try {
    const { herald, cursor } = await alternate(
      context,
      {
        async herald() {
          const begun = performance.now()
          await takeAll(`${query.url}/change-entries/all`, token)
          const seconds = (performance.now() - begun) / 1_000
          // Peak since the process started: memory kept by the first export also counts for the next ones.
          extra.push(((await processUsage(query.pid)).peakMemoryBytes - idle) / mebi)
          return entries / seconds
        },
        cursor: () => readRaw(client.db(name), entries),
      },
      (rate) => `${showNumber(rate)} rows/s`,
    )
    return [
      {
        what: 'change-entries/all as JSON',
        unit: 'rows/s',
        measured: herald,
        beside: { name: 'the driver’s raw cursor', measured: cursor },
        goal: { atLeast: 0.6 },
      },
      { what: 'memory of query above idle meanwhile', unit: 'MiB', measured: extra, goal: { atMost: 64 } },
    ]
  } finally {
    await query.stop()
    await client.db(name).dropDatabase()
  }
}

async function readRaw(database: Db, entries: number): Promise<number> {
  const begun = performance.now()
  let count = 0
  for await (const _ of database.collection('change-entries').find({}, { raw: true, batchSize: 1_000 })) count++
  if (count !== entries) throw new Error(`${count} of ${entries} entries were read`)
  return entries / ((performance.now() - begun) / 1_000)
}

const entriesPerInsert = 1_000

async function storeEntries(uri: string, database: string, subscriberId: string, count: number): Promise<void> {
  const store = createStore({ uri, database, applicationName: 'herald-bench' })
  try {
    await store.migrate()
    for (let start = 0; start < count; start += entriesPerInsert) {
      const size = Math.min(entriesPerInsert, count - start)
      await store.changeEntries.insertNew(Array.from({ length: size }, (_, i) => changeEntry(subscriberId, start + i)))
    }
  } finally {
    await store.close()
  }
}
