import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { type BuildInfo, exposeBuildInfo } from '../lifecycle/build-info.ts'
import { createBudgets } from '../shares/budgets.ts'

const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Creates a registry with metrics of the process, of HTTP and of the build. Services add theirs to `registry`. */
export function createMetrics(build?: BuildInfo) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  if (build) exposeBuildInfo(registry, build)
  const httpRequestSeconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Request duration in seconds, by method, route pattern and status',
    labelNames: ['method', 'route', 'status'],
    buckets: requestSeconds,
    registers: [registry],
  })
  return { registry, httpRequestSeconds, budgets: createBudgets(registry) }
}

export type Metrics = ReturnType<typeof createMetrics>
