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
 * Writes one log line and observes one duration for each request once its connection is done with it, finished or
 * aborted. Endless streams have no meaningful duration and are only logged. The line contains the route pattern and not
 * the URL, which may contain personal data.
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

/** Suppresses Fastify's own lines about requests, which contain the URL; keeps errors of the transport. */
export class QuietLogController extends LogController {
  constructor() {
    super({ requestIdLogLabel: 'requestId' })
  }
  override incomingRequest(): void {}
  override requestCompleted(): void {}
  override defaultErrorLog(): void {}
  override routeNotFound(): void {}
  override streamError(error: Error & { code?: string }, request: FastifyRequest): void {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') request.log.error({ err: error }, 'Response aborted')
  }
  override writeHeadError(error: Error, request: FastifyRequest): void {
    request.log.error({ err: error }, 'Could not write response headers')
  }
}
