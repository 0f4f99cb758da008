import {
  type AdminServer,
  createAdminServer,
  createApiServer,
  createAuthenticator,
  createMetrics,
  createStorageCheck,
  type HttpServer,
  type ServiceDependencies,
  storageBudget,
} from '@herald/runtime'
import { createStore, isStorageUnavailable } from '@herald/store'
import {
  countBudget,
  countInStorage,
  exportBudget,
  markBudget,
  readBudget,
  scanBudget,
  streamBudget,
  streamByteBudget,
} from './budgets.ts'
import { addChangeEntryRoutes } from './change-entries/routes.ts'
import type { QuerySettings } from './config.ts'
import { addDocumentationRoutes } from './documentation/routes.ts'
import { addMuteRoutes } from './mutes/routes.ts'
import { createCountUnread } from './notifications/count-unread.ts'
import { addNotificationRoutes } from './notifications/routes.ts'
import { addSealedLogRoutes } from './sealed-log/routes.ts'
import { createStreamMetrics } from './stream/metrics.ts'
import type { StreamOptions } from './stream/options.ts'
import { addStreamRoute } from './stream/route.ts'
import { createStreams } from './stream/streams.ts'

export type QueryDependencies = ServiceDependencies<QuerySettings> & {
  /** Overrides of the default limits of streams, for tests. */
  readonly streamOptions?: Partial<StreamOptions>
}

type Query = { readonly http: HttpServer; readonly admin: AdminServer }

/** Wires the query service, which serves stored notifications and change entries over HTTP. Does not listen. */
export function createQuery({ settings, logger, build, releasers, tracing, streamOptions }: QueryDependencies): Query {
  const metrics = createMetrics(build)
  const storage = metrics.budgets.open(storageBudget, settings.MAX_STORAGE_OPERATIONS)
  const store = createStore({
    uri: settings.MONGODB_URI,
    database: settings.MONGODB_DATABASE,
    applicationName: 'herald-query',
    retentionDays: settings.RETENTION_DAYS,
    reads: {
      bytes: countInStorage(metrics.budgets.open(readBudget, settings.MAX_READ_BYTES), storage),
      scans: metrics.budgets.open(scanBudget, settings.MAX_SCANS),
    },
  })
  releasers.add('MongoDB', () => store.close())
  const authenticator = createAuthenticator(settings, { logger })
  const http = createApiServer({ settings, authenticator, logger, metrics, tracing, isStorageUnavailable })
  const counts = metrics.budgets.open(countBudget, settings.MAX_COUNTS)
  const countUnread = createCountUnread(counts, store.notifications)
  const marks = metrics.budgets.open(markBudget, settings.MAX_MARKS)
  const { notifications, mutes, now: clock } = store
  addNotificationRoutes(http, { notifications, countUnread, marks, storage, clock })
  addMuteRoutes(http, { mutes, storage, clock })
  const streams = createStreams({
    store,
    countUnread,
    logger,
    metrics: createStreamMetrics(metrics.registry),
    clock: store.now,
    storage,
    slots: metrics.budgets.open(streamBudget, settings.MAX_STREAMS),
    bytes: metrics.budgets.open(streamByteBudget, settings.MAX_STREAM_BYTES),
    // Requests for a count do not wait for those of streams.
    options: { countsAtOnce: Math.ceil(settings.MAX_COUNTS / 2), ...streamOptions },
  })
  addStreamRoute(http, { streams })
  const exports = metrics.budgets.open(exportBudget, settings.MAX_EXPORTS)
  addChangeEntryRoutes(http, { changeEntries: store.changeEntries, recordedLog: store.recordedLog, exports })
  addSealedLogRoutes(http, { sealedLog: store.sealedLog, exports })
  addDocumentationRoutes(http)
  const admin = createAdminServer({
    logger,
    registry: metrics.registry,
    readinessChecks: [
      createStorageCheck({ registry: metrics.registry, logger, now: store.now, checkReady: store.checkReady }),
      ...authenticator.readinessChecks,
    ],
  })
  return { http, admin }
}
