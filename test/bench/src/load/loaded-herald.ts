import { randomUUID } from 'node:crypto'
import { type StartedHerald, startHerald } from '@herald/local-herald'
import { createTopics, type HeraldTopics, topicsWithSuffix } from '@herald/test-servers'
import type { Db } from 'mongodb'
import { now } from '../clock.ts'
import { partitions } from '../ingest/drain.ts'
import type { BenchContext } from '../part.ts'
import { load } from '../query/http-load.ts'
import type { User } from '../query/population.ts'
import { type Loader, startLoader } from './loader.ts'
import { createUsers } from './recipients.ts'
import type { RoleName, SetupOf } from './roles.ts'
import type { Schedule } from './schedule.ts'

export type LoadedHerald = {
  readonly herald: StartedHerald
  readonly database: Db
  readonly users: readonly User[]
  /** Starts a loader, which is stopped at the end. */
  start<Name extends RoleName>(role: Name, setup: SetupOf<Name>): Promise<Loader>
  /** The next operations at this rate, for loaders that run them together. */
  next(perSecond: number, seconds: number): Schedule
}

export type LoadedOptions = {
  readonly groups: number
  readonly recipients: number
  readonly subscribers: number
  /** Before the services start. */
  readonly prepare?: (topics: HeraldTopics) => Promise<void>
}

const startMs = 300

/** Runs `task` with both services on a new database and new topics, and with users whose tokens are verified. */
export async function withLoadedHerald<T>(
  { servers, client }: BenchContext,
  { prepare, ...population }: LoadedOptions,
  task: (loaded: LoadedHerald) => Promise<T>,
): Promise<T> {
  const name = `bench-${randomUUID()}`
  const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(name), { partitions })
  await prepare?.(topics)
  const environment = { LOG_LEVEL: 'warn', RATE_LIMIT_PER_MINUTE: '1000000' }
  const herald = await startHerald({ servers, topics, database: name, environment })
  const loaders: Loader[] = []
  let sequence = 0
  try {
    const users = await createUsers(herald.tokens, population)
    const requests = users.map(({ token }) => ({ path: '/notifications/unread-count', token }))
    await load({ baseUrl: herald.query.url, requests, once: true, seconds: 0 })
    return await task({
      herald,
      database: client.db(name),
      users,
      async start(role, setup) {
        const loader = await startLoader(role, setup)
        loaders.push(loader)
        return loader
      },
      next(perSecond, seconds) {
        const count = Math.max(1, Math.floor(perSecond * seconds))
        const first = sequence
        sequence += count
        return { begin: now() + startMs, perSecond, first, count }
      },
    })
  } finally {
    await Promise.all(loaders.map((loader) => loader.stop()))
    await herald.stop()
    await client.db(name).dropDatabase()
  }
}
