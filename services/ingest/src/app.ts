import { randomBytes } from 'node:crypto'
import { operations } from '@herald/contracts'
import {
  createAdminServer,
  createAuthenticator,
  createHttpServer,
  createMetrics,
  type HealthCheck,
  type Logger,
  type Releasers,
  toAuthenticatorOptions,
} from '@herald/runtime'
import { createStore, isStorageUnavailable, type Store } from '@herald/store'
import type { Settings } from './config.ts'
import { createNotificationCreation } from './create-notification/create-notification.ts'
import { addCreateNotificationRoute } from './create-notification/route.ts'
import type { TopicKind } from './events/decide.ts'
import { createRecordHandler } from './events/record-handler.ts'
import { createKafka } from './kafka/client.ts'
import { createEventConsumer, type EventConsumer } from './kafka/consumer.ts'
import { createDeadLetterProducer } from './kafka/dead-letter-producer.ts'
import { toKafkaOptions } from './kafka-options.ts'
import { createEventMetrics } from './metrics.ts'

export type IngestDependencies = {
  readonly settings: Settings
  readonly logger: Logger
  readonly releasers: Releasers
}

/** Ingest: events from Kafka and `POST /`, into MongoDB. Everything is wired here, nothing listens or consumes yet. */
export function createIngest({ settings, logger, releasers }: IngestDependencies) {
  const clock = () => new Date()
  const metrics = createMetrics()
  const store = createStore({
    uri: settings.MONGODB_URI,
    database: settings.MONGODB_DATABASE,
    applicationName: 'herald-ingest',
  })
  releasers.add('MongoDB', () => store.close())

  const consumer = createConsumer({ settings, logger, releasers }, store, createEventMetrics(metrics.registry), clock)
  const http = createHttpServer({
    logger,
    authenticator: createAuthenticator(toAuthenticatorOptions(settings)),
    metrics,
    operations,
    isStorageUnavailable,
  })
  const { notifications, createRequests } = store
  const create = createNotificationCreation({
    notifications,
    createRequests,
    clock,
    randomBytes: () => randomBytes(10),
  })
  addCreateNotificationRoute(http, create, clock)
  const admin = createAdminServer({
    logger,
    registry: metrics.registry,
    readinessChecks: [{ name: 'mongodb', check: () => store.checkReady() }, consumerCheck(consumer)],
  })
  return { http, admin, consumer }
}

function createConsumer(
  { settings, logger, releasers }: IngestDependencies,
  store: Store,
  metrics: ReturnType<typeof createEventMetrics>,
  clock: () => Date,
): EventConsumer {
  const kafka = createKafka(toKafkaOptions(settings), logger)
  const deadLetters = createDeadLetterProducer(kafka, settings.KAFKA_DEAD_LETTER_TOPIC)
  releasers.add('dead-letter producer', () => deadLetters.close())
  const kinds = new Map<string, TopicKind>([
    [settings.KAFKA_MENTION_TOPIC, 'mention'],
    [settings.KAFKA_CHANGE_TOPIC, 'change'],
  ])
  const { notifications, changeEntries } = store
  return createEventConsumer({
    kafka,
    logger,
    groupId: settings.KAFKA_GROUP_ID,
    topics: [...kinds.keys()],
    deadLetterTopic: settings.KAFKA_DEAD_LETTER_TOPIC,
    kindOf: (topic) => kinds.get(topic) as TopicKind,
    handle: createRecordHandler({ notifications, changeEntries, deadLetters, clock, observe: metrics.observe }),
    onRetry: metrics.onRetry,
  })
}

function consumerCheck(consumer: EventConsumer): HealthCheck {
  return {
    name: 'kafka',
    check: () => {
      const detail = consumer.whyNotReady()
      return detail === undefined ? { ok: true } : { ok: false, detail }
    },
  }
}
