import process from 'node:process'
import type { HeraldTopics, TokenIssuer } from '@herald/local-stack'

export type BenchSettings = {
  readonly mongodbUri: string
  readonly database: string
  readonly tokens: TokenIssuer
  readonly kafkaBrokers?: readonly string[]
  readonly topics?: HeraldTopics
  readonly groupId?: string
}

/** The settings of a service that is measured: as in production, save that one user may ask as often as he likes. */
export function serviceSettings(settings: BenchSettings): NodeJS.ProcessEnv {
  const { mongodbUri, database, tokens, kafkaBrokers = [], topics, groupId } = settings
  return {
    ...process.env,
    MONGODB_URI: mongodbUri,
    MONGODB_DATABASE: database,
    KAFKA_BROKERS: kafkaBrokers.join(','),
    KAFKA_GROUP_ID: groupId,
    KAFKA_MENTION_TOPIC: topics?.mention,
    KAFKA_CHANGE_TOPIC: topics?.change,
    KAFKA_RECEIPT_TOPIC: topics?.receipt,
    KAFKA_DEAD_LETTER_TOPIC: topics?.deadLetter,
    AUTH_JWKS_URI: undefined,
    AUTH_PUBLIC_KEY: tokens.publicKeyPem,
    AUTH_ISSUER: tokens.issuer,
    AUTH_AUDIENCE: tokens.audience,
    RATE_LIMIT_PER_MINUTE: '1000000',
    LOG_LEVEL: 'warn',
  }
}
