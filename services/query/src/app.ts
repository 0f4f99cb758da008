import {
  createAdminServer,
  createApiServer,
  createMetrics,
  createStorageCheck,
  type ServiceDependencies,
  systemClock,
} from '@herald/runtime'
import { createStore, isStorageUnavailable } from '@herald/store'
import { addChangeEntryRoutes } from './change-entries/routes.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'
import type { Settings } from './config.ts'
import { addDocumentationRoutes } from './documentation/routes.ts'
import { addNotificationRoutes } from './notifications/routes.ts'
import { createStreamMetrics } from './stream/metrics.ts'
import type { StreamOptions } from './stream/options.ts'
import { addStreamRoute } from './stream/route.ts'
import { createStreams } from './stream/streams.ts'

export type QueryDependencies = ServiceDependencies<Settings> & {
  /** Overrides of the default limits of streams, for tests. */
  readonly streamOptions?: Partial<StreamOptions>
}

/** Wires the query service, which serves stored notifications and change entries over HTTP. Does not listen. */
export function createQuery({ settings, logger, build, releasers, tracing, streamOptions }: QueryDependencies) {
  const metrics = createMetrics(build)
  const store = createStore({
    uri: settings.MONGODB_URI,
    database: settings.MONGODB_DATABASE,
    applicationName: 'herald-query',
    retentionDays: settings.RETENTION_DAYS,
  })
  releasers.add('MongoDB', () => store.close())
  const http = createApiServer({ settings, logger, metrics, tracing, isStorageUnavailable })
  addNotificationRoutes(http, { notifications: store.notifications, clock: systemClock })
  const streams = createStreams({
    ...{ store, logger },
    metrics: createStreamMetrics(metrics.registry),
    clock: systemClock,
    limit: createConcurrencyLimit({ perUser: settings.MAX_STREAMS_PER_USER, perProcess: settings.MAX_STREAMS }),
    options: streamOptions,
  })
  addStreamRoute(http, { streams })
  addChangeEntryRoutes(http, {
    changeEntries: store.changeEntries,
    exports: createConcurrencyLimit({ perUser: settings.MAX_EXPORTS_PER_USER, perProcess: settings.MAX_EXPORTS }),
  })
  addDocumentationRoutes(http)
  const admin = createAdminServer({
    logger,
    registry: metrics.registry,
    readinessChecks: [createStorageCheck({ registry: metrics.registry, logger, checkReady: store.checkReady })],
  })
  return { http, admin }
}
