import process from 'node:process'
import { tokenSettings, topicSettings } from '@herald/local-herald'
import type { HeraldTopics } from '@herald/test-servers'
import type { TokenIssuer } from '@herald/token-issuer'

export type BenchSettings = {
  readonly mongodbUri: string
  readonly database: string
  readonly tokens: TokenIssuer
  readonly kafkaBrokers?: readonly string[]
  readonly topics?: HeraldTopics
  readonly groupId?: string
}

/** The settings of a measured service: as in production, but with a rate limit that the load does not reach. */
export function serviceSettings(settings: BenchSettings): NodeJS.ProcessEnv {
  const { mongodbUri, database, tokens, kafkaBrokers = [], topics, groupId } = settings
  return {
    ...process.env,
    MONGODB_URI: mongodbUri,
    MONGODB_DATABASE: database,
    KAFKA_BROKERS: kafkaBrokers.join(','),
    KAFKA_GROUP_ID: groupId,
    ...(topics && topicSettings(topics)),
    ...tokenSettings(tokens),
    RATE_LIMIT_PER_MINUTE: '1000000',
    LOG_LEVEL: 'warn',
  }
}
