import { operations } from '@herald/contracts'
import {
  createAdminServer,
  createAuthenticator,
  createHttpServer,
  createMetrics,
  type Logger,
  type Releasers,
  toAuthenticatorOptions,
} from '@herald/runtime'
import { createStore, isStorageUnavailable } from '@herald/store'
import { addChangeEntryRoutes } from './change-entries/routes.ts'
import type { Settings } from './config.ts'
import { addNotificationRoutes } from './notifications/routes.ts'

export type QueryDependencies = {
  readonly settings: Settings
  readonly logger: Logger
  readonly releasers: Releasers
}

/** Query: what was stored, to those whom it concerns. Everything is wired here, nothing listens yet. */
export function createQuery({ settings, logger, releasers }: QueryDependencies) {
  const metrics = createMetrics()
  const store = createStore({
    uri: settings.MONGODB_URI,
    database: settings.MONGODB_DATABASE,
    applicationName: 'herald-query',
    retentionDays: settings.RETENTION_DAYS,
  })
  releasers.add('MongoDB', () => store.close())
  const http = createHttpServer({
    logger,
    authenticator: createAuthenticator(toAuthenticatorOptions(settings)),
    metrics,
    operations,
    isStorageUnavailable,
  })
  addNotificationRoutes(http, { notifications: store.notifications, clock: () => new Date() })
  addChangeEntryRoutes(http, { changeEntries: store.changeEntries })
  const admin = createAdminServer({
    logger,
    registry: metrics.registry,
    readinessChecks: [{ name: 'mongodb', check: () => store.checkReady() }],
  })
  return { http, admin }
}
