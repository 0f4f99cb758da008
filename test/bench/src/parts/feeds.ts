import { randomUUID } from 'node:crypto'
import { type StartedService, startService } from '@herald/local-herald'
import { createStore, type Store } from '@herald/store'
import { eventually } from '@herald/test-servers'
import { createTokenIssuer, type TokenIssuer } from '@herald/token-issuer'
import { alternate } from '../alternate.ts'
import { uuidOf } from '../ingest/events.ts'
import type { BenchContext, Part } from '../part.ts'
import { processUsage } from '../process-usage.ts'
import { notificationFor, type User } from '../query/population.ts'
import { createStreamReaders, type StreamReaders } from '../query/stream-readers.ts'
import { serviceSettings } from '../settings.ts'
import { openLoop } from '../target/open-loop.ts'

const documentsPerSecond = 10_000
const recipients = 3
const batchesPerSecond = 20
const users = 9_000
const processCount = 2

/**
 * Every query process follows all new notifications through a change stream, for the streams of its users. The cost of one
 * more process is that of its own work and of MongoDB's for it.
 */
export const feeds: Part = {
  name: 'feeds',
  about: `the cost of following ${documentsPerSecond.toLocaleString('en')} stored documents a second that no stream waits for`,
  rounds: 5,
  async run(context) {
    const { servers, client, log } = context
    const database = `bench-${randomUUID()}`
    const tokens = await createTokenIssuer()
    const store = createStore({ uri: servers.mongodbUri, database, applicationName: 'herald-bench' })
    const settings = serviceSettings({ ...servers, database, tokens })
    const feed = createWriter(context, store)
    try {
      await store.migrate()
      const { with: following, without } = await alternate(
        context,
        {
          with: () => measureWith(feed, store, settings, tokens),
          without: async () => ({ ...(await feed.measure(() => Promise.resolve([]))), service: 0 }),
        },
        ({ service, mongod }) => `query ${service.toFixed(1)} µs, MongoDB ${mongod.toFixed(1)} µs a document`,
      )
      log(`${processCount} query processes followed, or none`)
      return [
        {
          what: 'CPU time of a query process per stored document that no stream waits for',
          unit: 'µs',
          measured: following.map(({ service }) => service),
          goal: { atMost: 15 },
        },
        {
          what: 'CPU time of MongoDB for one more query process, per stored document',
          unit: 'µs',
          measured: following.map(({ mongod }, round) => (mongod - (without[round]?.mongod ?? 0)) / processCount),
          goal: { atMost: 20 },
        },
      ]
    } finally {
      await store.close()
      await client.db(database).dropDatabase()
    }
  },
}

type Writer = ReturnType<typeof createWriter>

/** Stores notifications at the rate, for users without a stream. */
function createWriter({ serverProcesses, smoke }: BenchContext, store: Store) {
  const subscriberId = uuidOf('subscriber without streams')
  const all: User[] = Array.from({ length: users }, (_, i) => ({
    subscriberId,
    userId: uuidOf(`reader ${i}`),
    token: '',
  }))
  let sequence = 0

  function nextBatch() {
    const size = Math.round(documentsPerSecond / batchesPerSecond / recipients)
    return Array.from({ length: size }, () => {
      const first = (sequence * recipients) % users
      return notificationFor(all.slice(first, first + recipients), sequence++)
    })
  }

  async function write(seconds: number): Promise<number> {
    let documents = 0
    const stored: Promise<unknown>[] = []
    await openLoop({ perSecond: batchesPerSecond, seconds }, (operations) => {
      for (const _ of operations) {
        const batch = nextBatch()
        documents += batch.length * recipients
        stored.push(store.notifications.insertNew(batch))
      }
    })
    await Promise.all(stored)
    return documents
  }

  const mongodSeconds = async () =>
    serverProcesses.mongod === undefined ? Number.NaN : (await processUsage(serverProcesses.mongod)).cpuSeconds

  return {
    /** MongoDB's CPU time per stored document in microseconds, and what `after` returns once everything is stored. */
    async measure<T>(after: () => Promise<T>) {
      // Warm-up, of those that follow, too.
      await write(smoke ? 0.2 : 2)
      await after()
      const before = await mongodSeconds()
      const start = await after()
      const documents = await write(smoke ? 0.5 : 8)
      const end = await after()
      return { documents, start, end, mongod: (((await mongodSeconds()) - before) / documents) * 1e6 }
    },
  }
}

/** Measures with query processes that have one stream each. */
async function measureWith(feed: Writer, store: Store, settings: NodeJS.ProcessEnv, tokens: TokenIssuer) {
  const [subscriberId, userId] = [randomUUID(), randomUUID()]
  const listener: User = {
    subscriberId,
    userId,
    token: await tokens.sign({ sub: userId, subscriber_id: subscriberId }),
  }
  const services: StartedService[] = []
  const readers: StreamReaders[] = []
  let seen = 0
  try {
    for (let i = 0; i < processCount; i++) {
      const query = await startService('query', settings)
      services.push(query)
      const reader = createStreamReaders(() => {
        seen++
      })
      readers.push(reader)
      await reader.open(query.url, [listener.token])
    }
    /** CPU seconds of all processes once each has followed everything that was stored before. */
    const usedSoFar = async () => {
      const expected = seen + processCount
      await store.notifications.insertNew([notificationFor([listener], expected)])
      await eventually(async () => seen === expected, {
        description: 'every process has followed',
        within: 30_000,
        every: 10,
      })
      const usages = await Promise.all(services.map(({ pid }) => processUsage(pid)))
      return usages.map(({ cpuSeconds }) => cpuSeconds)
    }
    const { documents, start, end, mongod } = await feed.measure(usedSoFar)
    const used = end.map((seconds, i) => seconds - (start[i] ?? 0))
    return { mongod, service: (used.reduce((sum, seconds) => sum + seconds, 0) / used.length / documents) * 1e6 }
  } finally {
    for (const reader of readers) reader.close()
    await Promise.all(services.map((service) => service.stop()))
  }
}
