import type { HeraldTopics } from '@herald/test-servers'
import type { TokenIssuer } from '@herald/token-issuer'

/** The topic settings of a service. */
export const topicSettings = (topics: HeraldTopics) => ({
  KAFKA_MENTION_TOPIC: topics.mention,
  KAFKA_CHANGE_TOPIC: topics.change,
  KAFKA_RECEIPT_TOPIC: topics.receipt,
  KAFKA_PRIVACY_TOPIC: topics.privacy,
  KAFKA_DEAD_LETTER_TOPIC: topics.deadLetter,
})

/** The settings with which a service accepts the issuer's tokens, with its public key instead of a key set. */
export const tokenSettings = ({ settings }: TokenIssuer) => ({ AUTH_JWKS_URI: undefined, ...settings })
