import { randomBytes } from 'node:crypto'
import { createReleasers } from '@herald/runtime'
import { defaultTopics, type HeraldTopics, topicsWithSuffix } from '@herald/test-servers'
import { connectTokenIssuer, startIssuerServer, type TokenIssuer } from '@herald/token-issuer'
import { MongoClient } from 'mongodb'
import { failureLogger, stopLimitMs } from './failure-logger.ts'
import { type HeraldOptions, startHerald } from './herald.ts'
import type { StartedService } from './service.ts'

type Addresses = Pick<StartedService, 'url' | 'adminUrl'>

/** The settings of the Herald that a run shares, from the environment, beside its address and its issuer of tokens. */
type SharedNames = {
  topics: HeraldTopics
  notificationTopic?: string | undefined
  databaseName: string
  groupId: string
}
type Shared = SharedNames & Record<'ingest' | 'query' | 'seal', Addresses>

export type AttachedHerald = SharedNames & {
  baseUrl: string
  tokens: TokenIssuer
  ingest: StartedService
  query: StartedService
  seal: StartedService
}

/** `announces`: on a topic of its own. */
type ShareOptions = Pick<HeraldOptions, 'environment' | 'sealing'> & { announces?: boolean }

/**
 * Starts one Herald for all test files of a run: Jest's global setup calls it. The environment, which the workers inherit, says
 * where it is; each file connects with `attachHerald` and has its own subscribers. Does nothing if `HERALD_BASE_URL` names a
 * Herald already.
 */
export async function shareHerald(name: string, options: ShareOptions = {}): Promise<{ stop(): Promise<void> }> {
  const { HERALD_BASE_URL, KAFKA_BROKERS = '', MONGODB_URI = '' } = process.env
  if (HERALD_BASE_URL) return { stop: async () => {} }
  const unique = `${name}-${randomBytes(4).toString('hex')}`
  const notificationTopic = options.announces ? `notification-events-${unique}` : undefined
  const herald = await startHerald({
    servers: { kafkaBrokers: KAFKA_BROKERS.split(','), mongodbUri: MONGODB_URI },
    database: unique,
    topics: topicsWithSuffix(unique),
    environment: { KAFKA_GROUP_ID: unique, ...options.environment },
    ...(notificationTopic === undefined ? {} : { notificationTopic }),
    ...(options.sealing === undefined ? {} : { sealing: options.sealing }),
  })
  const releasers = createReleasers(failureLogger)
  releasers.add('database', () => dropDatabase(MONGODB_URI, unique), { limitMs: stopLimitMs })
  releasers.add('Herald', herald.stop, { limitMs: 2 * stopLimitMs })
  const issuer = await startIssuerServer(herald.tokens, { host: '127.0.0.1', port: 0 })
  releasers.add('token issuer', issuer.stop)

  const { topics, ingest, query, seal } = herald
  const services = { ingest: addressesOf(ingest), query: addressesOf(query), seal: addressesOf(seal) }
  const shared: Shared = { topics, notificationTopic, databaseName: unique, groupId: unique, ...services }
  process.env.HERALD_BASE_URL = herald.baseUrl
  process.env.HERALD_TOKEN_ISSUER = `http://127.0.0.1:${issuer.port}`
  process.env.HERALD_SHARED = JSON.stringify(shared)
  return { stop: releasers.releaseAll }
}

/** Connects to the Herald that the run shares, or to the one that `HERALD_BASE_URL` names, which has the default names. */
export async function attachHerald(): Promise<AttachedHerald> {
  const { HERALD_BASE_URL: baseUrl, HERALD_TOKEN_ISSUER: issuer, HERALD_SHARED: json } = process.env
  if (!baseUrl || !issuer) throw new Error('HERALD_BASE_URL and HERALD_TOKEN_ISSUER are not set')
  const { ingest, query, seal, ...names } = json ? (JSON.parse(json) as Shared) : foreign(baseUrl)
  return {
    ...names,
    baseUrl,
    tokens: await connectTokenIssuer(issuer),
    ingest: remoteService(ingest),
    query: remoteService(query),
    seal: remoteService(seal),
  }
}

const addressesOf = ({ url, adminUrl }: StartedService): Addresses => ({ url, adminUrl })

function foreign(url: string) {
  const names: SharedNames = { topics: defaultTopics, databaseName: 'herald', groupId: 'herald-ingest' }
  return { ...names, ingest: { url }, query: { url }, seal: { url } }
}

/** A service of which only addresses are known; reading anything else throws, since others use it. */
function remoteService(addresses: Partial<Addresses>): StartedService {
  return new Proxy(addresses as StartedService, {
    get(service, name) {
      if (!(name in service)) throw new Error(`${String(name)} is not available: the service is not of this file`)
      return service[name as keyof StartedService]
    },
  })
}

async function dropDatabase(uri: string, name: string): Promise<void> {
  const mongodb = new MongoClient(uri)
  await mongodb.db(name).dropDatabase()
  await mongodb.close()
}
