import type { KafkaConfig } from 'kafkajs'
import type { KafkaSettings } from '../config.ts'

export type KafkaOptions = Pick<KafkaConfig, 'ssl' | 'sasl'> & {
  readonly brokers: readonly string[]
  readonly clientId: string
}

/** Maps the settings to the options of the Kafka client. */
export function toKafkaOptions(settings: KafkaSettings): KafkaOptions {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = settings
  const options = { brokers: settings.KAFKA_BROKERS, clientId: 'herald-ingest', ssl: settings.KAFKA_SSL }
  if (mechanism === undefined || username === undefined || password === undefined) return options
  return { ...options, sasl: { mechanism, username, password } as NonNullable<KafkaOptions['sasl']> }
}
