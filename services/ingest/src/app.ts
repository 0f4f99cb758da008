import { randomBytes, randomUUID } from 'node:crypto'
import {
  createAdminServer,
  createApiServer,
  createMetrics,
  createStorageCheck,
  type ServiceDependencies,
  systemClock,
} from '@herald/runtime'
import { createStore, isStorageUnavailable } from '@herald/store'
import { createAnnouncer, enableAnnouncements } from './announcements/announcing.ts'
import type { Settings } from './config.ts'
import { createNotificationCreation } from './create-notification/create-notification.ts'
import { addCreateNotificationRoute } from './create-notification/route.ts'
import { createErasureMetrics } from './erase-persons/erasure-metrics.ts'
import { createErasureWorker } from './erase-persons/erasure-worker.ts'
import { createEventIngestion } from './event-ingestion.ts'
import { createKafka } from './kafka/create-kafka.ts'
import { toKafkaOptions } from './kafka/kafka-options.ts'
import { createEventMetrics } from './metrics.ts'
import { exposeOutstandingFanOuts } from './outstanding-fan-outs.ts'
import { createRelay } from './relay/relay.ts'
import { createNotificationRetraction } from './retract-notification/retract-notification.ts'
import { addRetractNotificationRoute } from './retract-notification/route.ts'
import { createStorageGate } from './storage-gate.ts'

/** Wires ingest, which stores events from Kafka and `POST /` in MongoDB. Nothing listens or consumes yet. */
export function createIngest({ settings, logger, build, releasers, tracing }: ServiceDependencies<Settings>) {
  const clock = systemClock
  const metrics = createMetrics(build)
  const { registry } = metrics
  const announced = enableAnnouncements(settings, registry, clock)
  const store = createStore({
    uri: settings.MONGODB_URI,
    database: settings.MONGODB_DATABASE,
    applicationName: 'herald-ingest',
    retentionDays: settings.RETENTION_DAYS,
    announcing: announced?.announcing,
  })
  releasers.add('MongoDB', () => store.close())

  const storage = createStorageCheck({ registry, logger, checkReady: store.checkReady })
  const gate = createStorageGate({ storage, logger })
  const topics = [
    ...[settings.KAFKA_MENTION_TOPIC, settings.KAFKA_CHANGE_TOPIC, settings.KAFKA_RECEIPT_TOPIC],
    ...(settings.KAFKA_PRIVACY_TOPIC === undefined ? [] : [settings.KAFKA_PRIVACY_TOPIC]),
  ]
  const erasureMetrics = createErasureMetrics(registry)
  exposeOutstandingFanOuts(registry, store.missingFanOuts.isOutstanding)
  const eventMetrics = createEventMetrics(registry, clock, topics, settings.CDC_MAPPINGS?.topics)
  const kafka = createKafka(toKafkaOptions(settings), logger)
  const holder = randomUUID()
  const announcer = announced && createAnnouncer({ ...announced, kafka, store, gate, holder, clock, logger, releasers })
  const events = createEventIngestion({
    ...{ kafka, settings, store, gate, metrics: eventMetrics, logger, releasers, clock, tracing },
    announceCreated: announcer?.announceCreated,
    onDroppedReceipts: erasureMetrics.observeDropped,
  })
  const http = createApiServer({ settings, logger, metrics, tracing, isStorageUnavailable })
  const create = createNotificationCreation({ ...store, clock, randomBytes: () => randomBytes(10) })
  addCreateNotificationRoute(http, { create, gate, clock })
  const retract = createNotificationRetraction({ ...store, clock })
  addRetractNotificationRoute(http, { retract, gate })
  const admin = createAdminServer({
    logger,
    registry,
    livenessChecks: [events.liveness],
    readinessChecks: [storage, events.readiness],
  })
  const relay = createRelay({ ...store, gate, holder, clock, logger })
  releasers.add('relay', () => relay.stop())
  const erasures = createErasureWorker({ ...store, gate, metrics: erasureMetrics, holder, clock, logger })
  releasers.add('erasures', () => erasures.stop())
  return {
    ...{ http, admin, events },
    start() {
      events.start()
      relay.start()
      announcer?.start()
      erasures.start()
    },
  }
}
