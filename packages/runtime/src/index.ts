// For its types: what a route says of access, and who calls.
import './authentication-hook.ts'

export { type AdminServer, type AdminServerDependencies, createAdminServer } from './admin-server.ts'
export type { Authentication, Authenticator } from './authenticator.ts'
export { type BuildInfo, readBuildInfo } from './build-info.ts'
export { type Clock, systemClock } from './clock.ts'
export {
  type AuthenticationSettings,
  type AuthenticatorOptions,
  createAuthenticator,
  toAuthenticatorOptions,
} from './create-authenticator.ts'
export type { CheckOutcome, CheckResult, HealthCheck } from './health-checks.ts'
export {
  createHttpServer,
  type HttpServer,
  type HttpServerDependencies,
  type ServedRoute,
  type ZodTypeProvider,
} from './http-server.ts'
export type { Identity } from './identity.ts'
export { createLogger, type Logger, type LoggerOptions } from './logger.ts'
export { createMetrics, type Metrics } from './metrics.ts'
export {
  HttpProblem,
  type ProblemDocument,
  type ProblemOptions,
  problem,
  problemContentType,
  problemType,
  retryLater,
} from './problem.ts'
export { createReleasers, type Releasers } from './releasers.ts'
export { type OperationOfRoute, routeOptions } from './route-options.ts'
export { runService, type Service, type ServiceContext } from './run-service.ts'
export { type ServeOptions, serve } from './serve.ts'
export {
  booleanSetting,
  integerSetting,
  listSetting,
  originSetting,
  portSetting,
  textSetting,
  urlSetting,
} from './setting-types.ts'
export {
  describeSettings,
  type LoadedSettings,
  loadSettings,
  type SettingDescription,
  type SettingFault,
  type SettingsSchema,
} from './settings.ts'
export {
  authenticationSettings,
  httpSettings,
  observationSettings,
  retentionSettings,
  storageSettings,
} from './shared-settings.ts'
export { type ServiceProcess, type ShutdownDependencies, shutDownOnSignals } from './shutdown.ts'
export { type FinishedSpan, spanClock, type Tracing } from './span.ts'
export { startTracing, type TracingDependencies } from './tracing.ts'
