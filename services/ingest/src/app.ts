import { randomBytes, randomUUID } from 'node:crypto'
import { createKafka, toKafkaOptions } from '@herald/kafka'
import {
  type AdminServer,
  createAdminServer,
  createApiServer,
  createAuthenticator,
  createDeadlines,
  createMetrics,
  createStorageCheck,
  DeadlineExceeded,
  type HttpServer,
  problem,
  retryLater,
  type ServiceDependencies,
  storageBudget,
  systemClock,
} from '@herald/runtime'
import { createStore, isStorageUnavailable } from '@herald/store'
import { createEventIngestion, type EventIngestion } from './consume/event-ingestion.ts'
import { createStorageGate } from './consume/storage-gate.ts'
import { creationBudget, retractionBudget } from './http/budgets.ts'
import { createNotificationCreation } from './http/create-notification.ts'
import { addCreateNotificationRoute } from './http/create-notification-route.ts'
import { addRetractNotificationRoute } from './http/retract-notification-route.ts'
import type { IngestSettings } from './settings/config.ts'
import { defaultTimes, type Times } from './settings/times.ts'
import { createAnnouncer, enableAnnouncements } from './workers/announcing.ts'
import { createErasureMetrics, createErasureWorker } from './workers/erasure-worker.ts'
import { createRelay } from './workers/relay.ts'
import { createRetractionWorker } from './workers/retraction-worker.ts'

type Ingest = {
  readonly http: HttpServer
  readonly admin: AdminServer
  readonly events: EventIngestion
  readonly start: () => void
}

/** Wires ingest, which stores events from Kafka and `POST /` in MongoDB. Nothing listens or consumes yet. */
export function createIngest(
  { settings, logger, build, releasers, tracing }: ServiceDependencies<IngestSettings>,
  times: Times = defaultTimes,
): Ingest {
  const clock = systemClock
  const metrics = createMetrics(build)
  const { registry } = metrics
  // This time is the same in all processes. Their own clocks only measure how long something takes.
  const now = () => store.now()
  const announced = enableAnnouncements(settings, registry, now, times.countedMs)
  const store = createStore({
    uri: settings.MONGODB_URI,
    database: settings.MONGODB_DATABASE,
    applicationName: 'herald-ingest',
    retentionDays: settings.RETENTION_DAYS,
    announcing: announced?.announcing,
  })
  releasers.add('MongoDB', () => store.close())

  const storage = createStorageCheck({ registry, logger, now: store.now, checkReady: store.checkReady })
  const gate = createStorageGate({ storage, logger, everyMs: times.gateMs })
  const kafka = createKafka(toKafkaOptions(settings, 'herald-ingest'), logger)
  const deadlines = createDeadlines(clock)
  const { limitMs } = times
  const leased = { leases: store.leases, gate, holder: randomUUID(), now, deadlines, stepLimitMs: limitMs }
  const announcer =
    announced &&
    createAnnouncer({ ...announced, ...leased, kafka, store, logger, releasers, everyMs: times.announcementsMs })
  const erasureMetrics = createErasureMetrics(registry)
  const events = createEventIngestion({
    kafka,
    settings,
    store,
    gate,
    registry,
    logger,
    releasers,
    clock,
    now,
    tracing,
    deadlines,
    times,
    announceCreated: announcer?.announceCreated,
    onDroppedReceipts: erasureMetrics.observeDropped,
  })

  const authenticator = createAuthenticator(settings, { logger })
  const http = createApiServer({
    settings,
    authenticator,
    logger,
    metrics,
    tracing,
    isStorageUnavailable: (error) => isStorageUnavailable(error) || error instanceof DeadlineExceeded,
  })
  http.addHook('preHandler', async () => {
    if (await gate.isOpen()) return
    throw problem('storage_unavailable', 'The storage is not set up yet; try again later', { headers: retryLater })
  })
  const { notifications, createRequests, retractions, unfinished } = store
  const create = createNotificationCreation({
    notifications,
    createRequests,
    clock: now,
    randomBytes: () => randomBytes(10),
  })
  const creations = metrics.budgets.open(creationBudget, settings.MAX_CREATION_BYTES)
  const operations = metrics.budgets.open(storageBudget, settings.MAX_STORAGE_OPERATIONS)
  addCreateNotificationRoute(http, { create, clock: now, creations, storage: operations, deadlines, limitMs })
  const slots = metrics.budgets.open(retractionBudget, settings.MAX_RETRACTIONS)
  addRetractNotificationRoute(http, { retractions, storage: operations, slots, clock: now, deadlines, limitMs })
  const admin = createAdminServer({
    logger,
    registry,
    livenessChecks: [events.liveness, deadlines.health],
    readinessChecks: [storage, ...authenticator.readinessChecks, events.readiness],
  })

  const relay = createRelay({ ...leased, unfinished, logger, everyMs: times.relayMs })
  releasers.add('relay', () => relay.stop())
  const retracting = createRetractionWorker({ ...leased, retractions, logger, everyMs: times.retractionsMs })
  releasers.add('retractions', () => retracting.stop())
  erasureMetrics.showOpen(store.erasures, now, times.countedMs)
  const erasures = createErasureWorker({
    ...leased,
    erasures: store.erasures,
    metrics: erasureMetrics,
    logger,
    everyMs: times.erasuresMs,
  })
  releasers.add('erasures', () => erasures.stop())
  return {
    http,
    admin,
    events,
    start() {
      events.start()
      relay.start()
      retracting.start()
      announcer?.start()
      erasures.start()
    },
  }
}
