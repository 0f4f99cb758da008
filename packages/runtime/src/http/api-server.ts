import { operations } from '@herald/contracts'
import {
  type AuthenticationSettings,
  createAuthenticator,
  toAuthenticatorOptions,
} from '../auth/create-authenticator.ts'
import { createHttpServer, type HttpServer, type HttpServerDependencies } from './http-server.ts'

/** The parsed values of `httpSettings` and `authenticationSettings` that concern the public HTTP server. */
type ApiServerSettings = AuthenticationSettings & {
  readonly RATE_LIMIT_PER_MINUTE: number
  readonly CORS_ORIGINS: readonly string[]
  readonly MAX_CONNECTIONS: number
}

type ApiServerDependencies = Pick<HttpServerDependencies, 'logger' | 'metrics' | 'tracing' | 'isStorageUnavailable'> & {
  readonly settings: ApiServerSettings
}

/** The public HTTP server of a service, configured by its settings. It knows the operations of both services. */
export function createApiServer({ settings, logger, ...others }: ApiServerDependencies): HttpServer {
  return createHttpServer({
    ...others,
    logger,
    authenticator: createAuthenticator({ ...toAuthenticatorOptions(settings), logger }),
    operations: Object.values(operations),
    rateLimitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    corsOrigins: settings.CORS_ORIGINS,
    maxConnections: settings.MAX_CONNECTIONS,
  })
}
