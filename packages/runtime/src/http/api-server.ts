import { operations } from '@herald/contracts'
import type { z } from 'zod'
import { bodyBudget, responseBudget } from '../shares/http-budgets.ts'
import { createHttpServer, type HttpServer, type HttpServerDependencies } from './http-server.ts'
import type { httpSettings } from './http-settings.ts'

type ApiServerDependencies = Pick<
  HttpServerDependencies,
  'authenticator' | 'logger' | 'metrics' | 'tracing' | 'isStorageUnavailable'
> & {
  readonly settings: z.output<z.ZodObject<ReturnType<typeof httpSettings>>>
}

/** The public HTTP server of a service, configured by its settings. It knows the operations of both services. */
export function createApiServer({ settings, logger, metrics, ...others }: ApiServerDependencies): HttpServer {
  return createHttpServer({
    ...others,
    logger,
    metrics,
    operations: Object.values(operations),
    rateLimitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    corsOrigins: settings.CORS_ORIGINS,
    maxConnections: settings.MAX_CONNECTIONS,
    bodies: metrics.budgets.open(bodyBudget, settings.MAX_BODY_BYTES),
    responses: metrics.budgets.open(responseBudget, settings.MAX_RESPONSE_BYTES),
  })
}
