import type { Logger } from '@herald/runtime'
import kafkajs, { type Kafka, type KafkaConfig } from 'kafkajs'
import type { KafkaPort } from '../port/kafka-port.ts'
import type { ConnectionSettings } from '../settings/connection-settings.ts'
import { describeTopics, offsetsSince, withAdmin } from './admin.ts'
import { createGroupMember } from './group-member.ts'
import { logThrough } from './log-lines.ts'
import { patchKafkajs } from './patched-kafkajs.ts'
import { createPositionReader } from './position-reader.ts'
import { connectProducer } from './producer.ts'
import { readToEnd } from './read-to-end.ts'

const { Kafka: KafkaClient, logLevel } = kafkajs

type KafkaOptions = Pick<KafkaConfig, 'ssl' | 'sasl' | 'clientId'> & {
  readonly brokers: readonly string[]
  /** Of the groups with which topics are read to their end: ACLs name it. */
  readonly temporaryGroupPrefix?: string
}

export function toKafkaOptions(settings: ConnectionSettings, clientId: string): KafkaOptions {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = settings
  const options = { brokers: settings.KAFKA_BROKERS, clientId, ssl: settings.KAFKA_SSL }
  if (mechanism === undefined || username === undefined || password === undefined) return options
  return { ...options, sasl: { mechanism, username, password } as NonNullable<KafkaOptions['sasl']> }
}

/** Creates a client that decompresses all codecs within {@link fetchLimits}. It does not connect yet. */
export function createClient({ temporaryGroupPrefix: _, ...options }: KafkaOptions, logger: Logger): Kafka {
  patchKafkajs()
  return new KafkaClient({
    ...options,
    brokers: [...options.brokers],
    connectionTimeout: 3_000,
    requestTimeout: 10_000,
    retry: { initialRetryTime: 200, maxRetryTime: 5_000, retries: 5 },
    logLevel: logLevel.INFO,
    logCreator: logThrough(logger),
  })
}

export function createKafka(options: KafkaOptions, logger: Logger): KafkaPort {
  const client = createClient(options, logger)
  return {
    createMember: (member) => createGroupMember(client, member),
    connectProducer: (producer) => connectProducer(client, producer),
    describeTopics: (topics) => withAdmin(client, (admin) => describeTopics(admin, topics)),
    createPositionReader: (groupId, topics) => createPositionReader(client, groupId, topics),
    readToEnd: (topic, each, start) => readToEnd(client, topic, each, start, options.temporaryGroupPrefix),
    offsetsSince: (topic, since) => withAdmin(client, (admin) => offsetsSince(admin, topic, since)),
  }
}
