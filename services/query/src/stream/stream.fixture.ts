import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createLogger, createReleasers, loadSettings } from '@herald/runtime'
import { createStore } from '@herald/store'
import { createTokenIssuer } from '@herald/token-issuer'
import { MongoClient } from 'mongodb'
import { createQuery } from '../app.ts'
import { querySettingsSchema } from '../config.ts'
import { createEventParser, type ParsedEvent } from './event-parser.fixture.ts'
import type { StreamOptions } from './options.ts'

export type StreamTest = Awaited<ReturnType<typeof createStreamTest>>
export type StartedQuery = Awaited<ReturnType<StreamTest['start']>>
export type OpenStream = Awaited<ReturnType<typeof openStream>>

/** A separate database, with any number of services that listen on sockets. */
export async function createStreamTest(name: string, uri = process.env.MONGODB_URI ?? '') {
  const issuer = await createTokenIssuer()
  const database = `herald-test-stream-${name}-${process.pid}`
  const store = createStore({ uri, database, applicationName: 'test' })
  const client = new MongoClient(uri)
  const started: { stop(): Promise<void> }[] = []
  await store.migrate()

  return {
    store,
    database,
    client,
    token: (owner: { id: string; subscriberId: string }, expiresIn = 3_600) =>
      issuer.sign({ sub: owner.id, subscriber_id: owner.subscriberId }, { expiresIn }),
    /** @param ownUri another URI of the same database */
    async start(streamOptions: Partial<StreamOptions> = {}, ownUri = uri, environment: Record<string, string> = {}) {
      const loaded = loadSettings(querySettingsSchema, {
        MONGODB_URI: ownUri,
        MONGODB_DATABASE: database,
        ...issuer.settings,
        RATE_LIMIT_PER_MINUTE: '1000000',
        ...environment,
      })
      if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues))
      const logger = createLogger({ name: 'test', level: process.env.TEST_LOG_LEVEL ?? 'silent' })
      const releasers = createReleasers(logger)
      const { http, admin } = createQuery({ settings: loaded.settings, logger, releasers, streamOptions })
      await http.listen({ host: '127.0.0.1', port: 0 })
      const service = {
        url: `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`,
        /** The sum of a metric's values whose labels contain `label`. */
        async metric(metric: string, label = ''): Promise<number> {
          const lines = (await admin.app.inject('/metrics')).body.split('\n')
          const values = lines.filter((line) => line.startsWith(metric) && line.includes(label))
          return values.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
        },
        async stop() {
          await http.close()
          await admin.app.close()
          await releasers.releaseAll()
        },
      }
      started.push(service)
      return service
    },
    async end() {
      for (const service of started) await service.stop()
      await store.close()
      await client.db(database).dropDatabase()
      await client.close()
    },
  }
}

/** Asks for a stream like a client that tries again after a 503, as sent while MongoDB is unavailable or slow. */
async function connect(url: string, headers: Record<string, string>, signal: AbortSignal) {
  for (const deadline = Date.now() + 60_000; ; await wait(100)) {
    const response = await fetch(`${url}/notifications/stream`, { headers, signal })
    if (response.status !== 503 || Date.now() > deadline) return response
    const { code } = (await response.clone().json()) as { code: string }
    if (code !== 'storage_unavailable') return response
    await response.body?.cancel()
  }
}

/** Opens a stream with `fetch`, and collects its events. */
export async function openStream(url: string, token: string, lastEventId?: string) {
  const stop = new AbortController()
  const resumed = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const response = await connect(url, { authorization: `Bearer ${token}`, ...resumed }, stop.signal)
  const events: ParsedEvent[] = []
  const parse = createEventParser()
  let outcome: 'open' | 'ended' | 'broken' = 'open'
  async function readAll() {
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) events.push(...parse(decoder.decode(bytes, { stream: true })))
  }
  const done = readAll().then(
    () => {
      outcome = 'ended'
    },
    () => {
      outcome = 'broken'
    },
  )
  const named = (name: string) => events.filter(({ event }) => event === name)
  const stream = {
    response,
    events,
    named,
    done,
    /** Whether it is open, ended normally, or broke. */
    outcome: () => outcome,
    notificationIds: () => named('notification').map(({ data }) => JSON.parse(data).id as string),
    lastEventId: () => events.at(-1)?.lastEventId ?? '',
    /** Waits for this many events with this name. */
    async until(name: string, count = 1, limitMs = 120_000): Promise<ParsedEvent[]> {
      const deadline = Date.now() + limitMs
      while (named(name).length < count) {
        if (Date.now() > deadline || outcome !== 'open') {
          const seen = events.map(({ event }) => event).join(' ')
          throw new Error(
            `${response.status}: ${named(name).length} of ${count} ${name} received; ${outcome}; all: ${seen}`,
          )
        }
        await wait(5)
      }
      return named(name)
    },
    async close() {
      stop.abort()
      await done
    },
  }
  return stream
}
