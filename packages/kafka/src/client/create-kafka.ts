import type { Logger } from '@herald/runtime'
import kafkajs, { type Admin, type Kafka, type KafkaConfig } from 'kafkajs'
import type { KafkaPort } from '../port/kafka-port.ts'
import type { ConnectionSettings } from '../settings/connection-settings.ts'
import { countMembers, describeTopics, offsetsSince, withAdmin } from './admin.ts'
import { createGroupMember } from './group-member.ts'
import { logThrough } from './log-lines.ts'
import { patchKafkajs } from './patched-kafkajs.ts'
import { createPositionReader } from './position-reader.ts'
import { connectProducer } from './producer.ts'
import { readToEnd } from './read-to-end.ts'
import { createSeeds, type Seeds } from './seed-brokers.ts'
import { setOffsets } from './set-offsets.ts'

const { Kafka: KafkaClient, logLevel } = kafkajs

type KafkaOptions = Pick<KafkaConfig, 'ssl' | 'sasl' | 'clientId'> & {
  readonly brokers: readonly string[]
  /** The prefix of groups with which topics are read to their end: ACLs name it. */
  readonly temporaryGroupPrefix?: string
  /** How long a broker may take to answer. */
  readonly requestTimeout?: number
}

export function toKafkaOptions(settings: ConnectionSettings, clientId: string): KafkaOptions {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = settings
  const options = { brokers: settings.KAFKA_BROKERS, clientId, ssl: settings.KAFKA_SSL }
  if (mechanism === undefined || username === undefined || password === undefined) return options
  return { ...options, sasl: { mechanism, username, password } as NonNullable<KafkaOptions['sasl']> }
}

/**
 * Creates a client that decompresses all codecs within {@link fetchLimits}. It does not connect yet. Each admin, producer and
 * member of it starts with another broker than the one before.
 */
export function createClient(
  { temporaryGroupPrefix: _, brokers, ...options }: KafkaOptions,
  logger: Logger,
  seeds: Pick<Seeds, 'next'> = createSeeds(brokers)(),
): Kafka {
  patchKafkajs()
  return new KafkaClient({
    requestTimeout: 10_000,
    ...options,
    brokers: seeds.next,
    connectionTimeout: 3_000,
    retry: { initialRetryTime: 200, maxRetryTime: 5_000, retries: 5 },
    logLevel: logLevel.INFO,
    logCreator: logThrough(logger),
  })
}

export function createKafka(options: KafkaOptions, logger: Logger): KafkaPort {
  // One client for each purpose: if an admin and a member that take turns shared the order of the brokers, the member could
  // start with the same broker every time.
  const create = () => createClient(options, logger)
  const [members, producers, readers, positions] = [create(), create(), create(), create()]
  const seedsOf = createSeeds(options.brokers)
  /** Stays with a broker that has answered: unlike the others, this one connects anew also when nothing has failed. */
  const ask = async <T>(work: (admin: Admin) => Promise<T>): Promise<T> => {
    const seeds = seedsOf()
    const answer = await withAdmin(createClient(options, logger, seeds), work)
    seeds.keep()
    return answer
  }
  return {
    createMember: (member) => createGroupMember(members, member),
    connectProducer: (producer) => connectProducer(producers, producer),
    describeTopics: (topics) => ask((admin) => describeTopics(admin, topics)),
    createPositionReader: (groupId, topics) => createPositionReader(positions, groupId, topics),
    readToEnd: (topic, each, start) => readToEnd(readers, topic, each, start, options.temporaryGroupPrefix),
    offsetsSince: (topic, since) => ask((admin) => offsetsSince(admin, topic, since)),
    countMembers: (groupId) => ask((admin) => countMembers(admin, groupId)),
    setOffsets: (groupId, offsets) => setOffsets(members, groupId, offsets),
  }
}
