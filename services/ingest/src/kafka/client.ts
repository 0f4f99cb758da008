import type { Logger } from '@herald/runtime'
import kafkajs, { type Kafka } from 'kafkajs'
import type { KafkaOptions } from './kafka-options.ts'
import { logThrough } from './log-lines.ts'
import { patchKafkajs } from './patched-kafkajs.ts'

const { Kafka: KafkaClient, logLevel } = kafkajs

/** Creates a client that decompresses all codecs within {@link fetchLimits}. It does not connect yet. */
export function createClient({ brokers, clientId, ssl, sasl }: KafkaOptions, logger: Logger): Kafka {
  patchKafkajs()
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
