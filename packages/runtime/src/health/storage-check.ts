import { Gauge, type Registry } from 'prom-client'
import type { Logger } from '../logging/logger.ts'
import { type Clock, systemClock } from '../time/clock.ts'
import type { HealthCheck } from './health-checks.ts'

export type StorageCheckDependencies = {
  readonly registry: Registry
  readonly logger: Pick<Logger, 'warn'>
  /** The time by MongoDB's clock. */
  readonly now: Clock
  readonly checkReady: () => Promise<
    { readonly ok: true; readonly warnings: readonly string[] } | { readonly ok: false; readonly detail: string }
  >
}

/** The readiness check of MongoDB. Stays ready with another retention, because a rollout migrates before it changes that. */
export function createStorageCheck({ registry, logger, now, checkReady }: StorageCheckDependencies): HealthCheck {
  const differs = new Gauge({
    name: 'herald_retention_differs',
    help: 'Whether MongoDB expires documents after another time than RETENTION_DAYS of this process',
    registers: [registry],
  })
  new Gauge({
    name: 'herald_clock_difference_seconds',
    help: 'How far MongoDB’s clock is ahead of this process’s; negative if it is behind',
    registers: [registry],
    collect() {
      this.set((now().getTime() - systemClock().getTime()) / 1_000)
    },
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
