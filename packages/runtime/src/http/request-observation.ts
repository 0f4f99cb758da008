import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Metrics } from '../metrics/metrics.ts'
import { OverBudget } from '../shares/budget.ts'
import { spanClock, type Tracing } from '../tracing/span.ts'

export type RequestObservationDependencies = {
  readonly metrics: Pick<Metrics, 'httpRequestSeconds'>
  readonly tracing?: Tracing | undefined
}

/** Logs and measures requests. A URL may contain personal data and is not logged. */
export function createRequestObservation({ metrics, tracing }: RequestObservationDependencies) {
  /** Returns a function to be called once the connection is done with the request. */
  return function observe(request: FastifyRequest, reply: FastifyReply): () => void {
    const start = performance.now()
    const startMs = spanClock()
    let finished = false
    reply.raw.once('finish', () => {
      finished = true
    })
    return () => {
      const durationMs = Math.round((performance.now() - start) * 100) / 100
      const { method, caller } = request
      const route = request.routeOptions.url ?? 'none'
      const status = reply.raw.statusCode
      const isEndless = request.routeOptions.config.endless === true && method !== 'HEAD' && status === 200
      if (!isEndless) metrics.httpRequestSeconds.observe({ method, route, status }, durationMs / 1000)
      tracing?.record({
        name: `${method} ${route}`,
        kind: 'server',
        traceparent: request.headers.traceparent?.toString(),
        startMs,
        endMs: startMs + durationMs,
        failed: status >= 500 || !finished,
        attributes: {
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': status,
          ...(status >= 500 ? { 'error.type': String(status) } : {}),
          'herald.request_id': request.id,
        },
      })
      request.log.info(
        {
          method,
          route,
          status,
          durationMs,
          ...(finished ? {} : { brokenOff: true }),
          ...(caller ? { userId: caller.userId, subscriberId: caller.subscriberId } : {}),
        },
        'Request completed',
      )
    }
  }
}

/** Suppresses Fastify's own lines about requests, which contain the URL; keeps errors of the transport. */
export class QuietLogController extends LogController {
  constructor() {
    super({ requestIdLogLabel: 'requestId', disableRequestLogging: true })
  }
  override streamError(error: Error & { code?: string }, request: FastifyRequest): void {
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return
    // As for a response that has not begun: its reader, or others, hold what the next part needs, and the budget counts it.
    if (error instanceof OverBudget)
      request.log.info({ refused: error.refused }, 'Response cut, because a budget is used up')
    else request.log.error({ err: error }, 'Response aborted')
  }
  override writeHeadError(error: Error, request: FastifyRequest): void {
    request.log.error({ err: error }, 'Could not write response headers')
  }
}
