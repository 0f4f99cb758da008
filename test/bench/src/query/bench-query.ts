import { randomUUID } from 'node:crypto'
import { type StartedService, startService } from '@herald/local-herald'
import { createTokenIssuer, type TokenIssuer } from '@herald/token-issuer'
import type { Db } from 'mongodb'
import type { BenchContext } from '../part.ts'
import { serviceSettings } from '../settings.ts'
import { type PopulationOptions, populate, type User } from './population.ts'

export type QueryBench = {
  readonly query: StartedService
  readonly database: Db
  readonly users: readonly User[]
  readonly tokens: TokenIssuer
  readonly settings: NodeJS.ProcessEnv
}

export type QueryBenchOptions = Pick<
  PopulationOptions,
  'users' | 'notificationsEach' | 'usersPerSubscriber' | 'recipients'
>

/** Runs `task` with a query service on a new database with these users' feeds. */
export async function withQuery<T>(
  { servers, client, log }: BenchContext,
  options: QueryBenchOptions,
  task: (bench: QueryBench) => Promise<T>,
): Promise<T> {
  const name = `bench-${randomUUID()}`
  const tokens = await createTokenIssuer()
  const { mongodbUri, kafkaBrokers } = servers
  const users = await populate({ mongodbUri, database: name, tokens, ...options })
  log(`${options.users} users with ${options.notificationsEach} notifications each stored`)
  const settings = serviceSettings({ mongodbUri, database: name, tokens, kafkaBrokers })
  const query = await startService('query', settings)
  try {
    return await task({ query, database: client.db(name), users, tokens, settings })
  } finally {
    await query.stop()
    await client.db(name).dropDatabase()
  }
}
