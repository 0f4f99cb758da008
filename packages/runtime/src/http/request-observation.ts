import { performance } from 'node:perf_hooks'
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Identity } from '../auth/identity.ts'
import type { Metrics } from '../health/metrics.ts'
import { spanClock, type Tracing } from '../tracing/span.ts'

export type RequestObservationDependencies = {
  readonly metrics: Pick<Metrics, 'httpRequestSeconds'>
  readonly identityOf: (request: FastifyRequest) => Identity | undefined
  readonly tracing?: Tracing | undefined
}

/**
 * One log line and one observation for each request, when its connection is done with it, be it finished or broken off;
 * streams without end have the line alone.
 * The line holds the pattern of the route and not the address: that may hold what should not be kept.
 */
export function createRequestObservation({ metrics, identityOf, tracing }: RequestObservationDependencies) {
  return function observe(request: FastifyRequest, reply: FastifyReply): void {
    const start = performance.now()
    const startMs = spanClock()
    let finished = false
    reply.raw.once('finish', () => {
      finished = true
    })
    reply.raw.once('close', () => {
      const durationMs = Math.round((performance.now() - start) * 100) / 100
      const { method } = request
      const route = request.routeOptions.url ?? 'none'
      const status = reply.raw.statusCode
      const identity = identityOf(request)
      const isEndless = request.routeOptions.config.endless === true && method !== 'HEAD' && status === 200
      if (!isEndless) metrics.httpRequestSeconds.observe({ method, route, status }, durationMs / 1000)
      tracing?.record({
        name: `${method} ${route}`,
        kind: 'server',
        traceparent: request.headers.traceparent?.toString(),
        ...{ startMs, endMs: startMs + durationMs, failed: status >= 500 || !finished },
        attributes: {
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': status,
          'herald.request_id': request.id,
        },
      })
      request.log.info(
        {
          ...{ method, route, status, durationMs },
          ...(finished ? {} : { brokenOff: true }),
          ...(identity ? { userId: identity.userId, subscriberId: identity.subscriberId } : {}),
        },
        'Request completed',
      )
    })
  }
}

/** Fastify's own log lines: none of a request as such, for they hold its address; just what went wrong beneath it. */
export class QuietLogController extends LogController {
  constructor() {
    super({ requestIdLogLabel: 'requestId' })
  }
  override incomingRequest(): void {}
  override requestCompleted(): void {}
  override defaultErrorLog(): void {}
  override routeNotFound(): void {}
  override streamError(error: Error & { code?: string }, request: FastifyRequest): void {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') request.log.error({ err: error }, 'An answer was cut')
  }
  override writeHeadError(error: Error, request: FastifyRequest): void {
    request.log.error({ err: error }, 'The head of an answer could not be written')
  }
}
