import { createReleasers } from '@herald/runtime'
import type { StartedServers } from '@herald/test-servers'
import { createTopics, defaultTopics, type HeraldTopics, runCommand } from '@herald/test-servers'
import { createTokenIssuer, type TokenIssuer } from '@herald/token-issuer'
import { failureLogger, stopLimitMs } from './failure-logger.ts'
import { type GatewayOptions, type StartedGateway, startGateway } from './gateway/gateway.ts'
import type { SealingSettings } from './sealing.ts'
import { type ServiceName, type StartedService, serviceFile, startService } from './service.ts'
import { tokenSettings, topicSettings } from './service-settings.ts'

export type HeraldOptions = {
  servers: Pick<StartedServers, 'kafkaBrokers' | 'mongodbUri'>
  /** Additional settings of the services, which override those of this process and of the other options. */
  environment?: NodeJS.ProcessEnv
  topics?: Partial<HeraldTopics>
  /** The topic of announcements, which are off without it. */
  notificationTopic?: string
  database?: string
  /** Connection strings with a user of MongoDB for each program. */
  mongodbUris?: Readonly<Record<ServiceName | 'migrate', string>>
  /** Seals the change log; see `createSealing`. Without it, only the recorded order is assigned. */
  sealing?: SealingSettings
  /** The Node.js that runs the services; the current one by default. */
  node?: string
  /** The address of the gateway; by default a free port of the loopback address. */
  gateway?: { host?: string; port?: number; mounts?: (herald: Mountable) => Promise<GatewayOptions['mounts']> }
  log?: (line: string) => void
}

/** Passed to the factory of mounts. */
type Mountable = {
  tokens: TokenIssuer
  topics: HeraldTopics
  queryUrl: string
}

export type StartedHerald = {
  /** The URL of the gateway. */
  baseUrl: string
  ingest: StartedService
  query: StartedService
  /** The sequencer and sealer. It has no server at its `url`. */
  seal: StartedService
  gateway: StartedGateway
  tokens: TokenIssuer
  topics: HeraldTopics
  stop(): Promise<void>
}

/** Starts Herald on the servers: creates topics and indexes, then starts all services and the gateway. */
export async function startHerald(options: HeraldOptions): Promise<StartedHerald> {
  const { servers, log = () => {} } = options
  const tokens = await createTokenIssuer()
  const releasers = createReleasers(failureLogger)
  try {
    const topics = await createTopics(servers.kafkaBrokers, {
      ...options.topics,
      notification: options.notificationTopic,
      checkpoint: options.sealing?.KAFKA_CHECKPOINT_TOPIC,
    })
    const settings = serviceSettings(options, tokens, topics)
    const settingsOf = (program: ServiceName | 'migrate') => ({
      ...settings,
      ...(options.mongodbUris && { MONGODB_URI: options.mongodbUris[program] }),
    })
    const node = options.node ?? process.execPath
    await runCommand(node, [serviceFile('ingest', 'migrate')], { environment: settingsOf('migrate') })
    log('Topics, collections and indexes are ready.')

    const starts = await Promise.allSettled([
      startService('ingest', settingsOf('ingest'), { node }),
      startService('query', settingsOf('query'), { node }),
      startService('seal', { ...settingsOf('seal'), ...options.sealing }, { node }),
    ])
    for (const start of starts)
      if (start.status === 'fulfilled') releasers.add('service', start.value.stop, { limitMs: stopLimitMs })
    const [ingest, query, seal] = starts.map((start) => {
      if (start.status === 'rejected') throw start.reason
      return start.value
    }) as [StartedService, StartedService, StartedService]
    log('All services are ready.')

    const { mounts: mount, ...where } = options.gateway ?? {}
    const mounts = (await mount?.({ tokens, topics, queryUrl: query.url })) ?? {}
    const corsOrigins = settings.CORS_ORIGINS?.split(',').filter((origin) => origin !== '')
    const urls = { ingestUrl: ingest.url, queryUrl: query.url }
    const gateway = await startGateway({ ...urls, ...where, mounts, ...(corsOrigins && { corsOrigins }) })
    releasers.add('gateway', gateway.stop)
    return { baseUrl: gateway.url, ingest, query, seal, gateway, tokens, topics, stop: releasers.releaseAll }
  } catch (error) {
    await releasers.releaseAll()
    throw error
  }
}

function serviceSettings(
  { servers, database = 'herald', notificationTopic, environment }: HeraldOptions,
  tokens: TokenIssuer,
  topics: HeraldTopics,
): NodeJS.ProcessEnv {
  const isUsual = topics.mention === defaultTopics.mention
  return {
    ...process.env,
    MONGODB_URI: servers.mongodbUri,
    MONGODB_DATABASE: database,
    KAFKA_BROKERS: servers.kafkaBrokers.join(','),
    // The members of a group must read the same topics.
    KAFKA_GROUP_ID: isUsual ? 'herald-ingest' : `herald-ingest-${topics.mention}`,
    ...topicSettings(topics),
    ...(notificationTopic === undefined ? {} : { KAFKA_NOTIFICATION_TOPIC: notificationTopic }),
    ...tokenSettings(tokens),
    ...environment,
  }
}
