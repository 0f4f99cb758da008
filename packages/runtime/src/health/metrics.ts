import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'

const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** A registry of its own, with the metrics of the process and of HTTP; a service adds its own to `registry`. */
export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const httpRequestSeconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Request duration in seconds, by method, route pattern and status',
    labelNames: ['method', 'route', 'status'],
    buckets: requestSeconds,
    registers: [registry],
  })
  return { registry, httpRequestSeconds }
}

export type Metrics = ReturnType<typeof createMetrics>
