import type { Logger } from '@herald/runtime'
import kafkajs, { type Kafka, type KafkaConfig, type LogEntry } from 'kafkajs'
import { registerCodecs } from './codecs.ts'

const { Kafka: KafkaClient, logLevel } = kafkajs

export type KafkaOptions = Pick<KafkaConfig, 'ssl' | 'sasl'> & {
  readonly brokers: readonly string[]
  readonly clientId: string
}

const levels = new Map([
  [logLevel.ERROR, 'error'],
  [logLevel.WARN, 'warn'],
  [logLevel.INFO, 'info'],
  [logLevel.DEBUG, 'debug'],
] as const)

/** kafkajs's lines through pino. Its fields are picked: an error's stack or a payload may quote a record. */
function logThrough(logger: Logger) {
  return () =>
    ({ level, namespace, log }: LogEntry) => {
      const { message, topic, partition, offset, groupId, memberId, error, broker } = log
      const fields = { namespace, topic, partition, offset, groupId, memberId, broker, reason: reasonOf(error) }
      logger[levels.get(level as never) ?? 'debug'](fields, message)
    }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : error)

/** A client with all codecs; nothing is connected yet. */
export function createKafka({ brokers, clientId, ssl, sasl }: KafkaOptions, logger: Logger): Kafka {
  registerCodecs()
  return new KafkaClient({
    clientId,
    brokers: [...brokers],
    ...(ssl === undefined ? {} : { ssl }),
    ...(sasl === undefined ? {} : { sasl }),
    connectionTimeout: 3_000,
    requestTimeout: 10_000,
    retry: { initialRetryTime: 200, maxRetryTime: 5_000, retries: 5 },
    logLevel: logLevel.INFO,
    logCreator: logThrough(logger),
  })
}
