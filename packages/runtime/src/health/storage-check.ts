import { Gauge, type Registry } from 'prom-client'
import type { Logger } from '../logging/logger.ts'
import type { HealthCheck } from './health-checks.ts'

export type StorageCheckDependencies = {
  readonly registry: Registry
  readonly logger: Pick<Logger, 'warn'>
  /** Checks the connection and the schema of the store. */
  readonly checkReady: () => Promise<
    { readonly ok: true; readonly warnings: readonly string[] } | { readonly ok: false; readonly detail: string }
  >
}

/**
 * Creates the readiness check of MongoDB. If documents expire after another time than `RETENTION_DAYS`, it sets a metric and
 * logs a warning but stays ready: a rollout that changes the setting migrates first, while the old release still serves.
 */
export function createStorageCheck({ registry, logger, checkReady }: StorageCheckDependencies): HealthCheck {
  const differs = new Gauge({
    name: 'herald_retention_differs',
    help: 'Whether MongoDB expires documents after another time than RETENTION_DAYS of this process',
    registers: [registry],
  })
  let last = ''
  return {
    name: 'mongodb',
    async check() {
      const readiness = await checkReady()
      if (!readiness.ok) return readiness
      const detail = readiness.warnings.join('; ')
      differs.set(detail === '' ? 0 : 1)
      if (detail !== '' && detail !== last) logger.warn({ detail }, 'RETENTION_DAYS differs from what was migrated')
      last = detail
      return { ok: true, detail }
    },
  }
}
