// Augments the types of Fastify: `request.identity` and the access options of routes.
import './http/authentication-hook.ts'

export type { Authentication, Authenticator } from './auth/authenticator.ts'
export type { Identity } from './auth/identity.ts'
export { type BackoffOptions, backoffMs } from './backoff.ts'
export { type Clock, systemClock } from './clock.ts'
export { type AdminServer, type AdminServerDependencies, createAdminServer } from './health/admin-server.ts'
export type { CheckOutcome, CheckResult, HealthCheck } from './health/health-checks.ts'
export { createMetrics, type Metrics } from './health/metrics.ts'
export { createStorageCheck, type StorageCheckDependencies } from './health/storage-check.ts'
export { createAllowedMethods } from './http/allowed-methods.ts'
export { createApiServer } from './http/api-server.ts'
export { createClientErrorHandler } from './http/client-errors.ts'
export { createCors } from './http/cors.ts'
export {
  createHttpServer,
  type HttpServer,
  type HttpServerDependencies,
} from './http/http-server.ts'
export {
  type ProblemDocument,
  type ProblemOptions,
  problem,
  problemContentType,
  retryLater,
} from './http/problem.ts'
export { type OperationOfRoute, routeOptions } from './http/route-options.ts'
export type { BuildInfo } from './lifecycle/build-info.ts'
export { unsupportedNode } from './lifecycle/node-version.ts'
export { createReleasers, type Releasers } from './lifecycle/releasers.ts'
export { runHttpService, type ServiceDependencies } from './lifecycle/run-http-service.ts'
export type { ServiceProcess, ShutdownDependencies } from './lifecycle/shutdown.ts'
export { createLogger, type Logger, type LoggerOptions } from './logging/logger.ts'
export {
  booleanSetting,
  integerSetting,
  listSetting,
  textSetting,
} from './settings/setting-types.ts'
export {
  describeSettings,
  type LoadedSettings,
  loadSettings,
  type SettingDescription,
  type SettingsSchema,
} from './settings/settings.ts'
export {
  authenticationSettings,
  httpSettings,
  observationSettings,
  retentionSettings,
  storageSettings,
} from './settings/shared-settings.ts'
export { type FinishedSpan, spanClock, type Tracing } from './tracing/span.ts'
