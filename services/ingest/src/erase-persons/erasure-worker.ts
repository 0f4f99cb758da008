import type { Logger } from '@herald/runtime'
import type { ErasureProgress, Erasures, OpenErasure } from '@herald/store'
import { createLeasedWorker, type LeaseDependencies, type LeasedWorker } from '../leased-worker.ts'
import type { ErasureMetrics } from './erasure-metrics.ts'

export type ErasureWorkerDependencies = LeaseDependencies & {
  readonly erasures: Pick<Erasures, 'open' | 'countOpen' | 'step'>
  readonly metrics: Pick<ErasureMetrics, 'observeStep' | 'observeOpen'>
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly everyMs?: number
  /** Time between two log lines about the same erasure. */
  readonly logEveryMs?: number
}

/** Carries out accepted erasures. */
export function createErasureWorker(dependencies: ErasureWorkerDependencies): LeasedWorker {
  const { erasures, metrics, clock, logger, everyMs = 2_000, logEveryMs = 10_000 } = dependencies

  /** The person is not named: a log outlives the erasure. */
  const log = ({ subscriberId, eventId, phase, erased }: ErasureProgress, message: string): void =>
    logger.info({ subscriberId, eventId, phase, erased }, message)

  const carryOut = async (erasure: OpenErasure, hold: () => Promise<boolean>): Promise<void> => {
    let loggedAt = clock().getTime()
    while (await hold()) {
      const progress = await erasures.step(erasure)
      if (progress === undefined) return
      metrics.observeStep(progress)
      if (progress.done) return log(progress, 'Person erased')
      if (clock().getTime() - loggedAt < logEveryMs) continue
      loggedAt = clock().getTime()
      log(progress, 'Erasing a person')
    }
  }

  return createLeasedWorker(dependencies, {
    lease: 'erasures',
    // A step is far shorter.
    leaseMs: 30_000,
    async work(hold) {
      const open = await erasures.open()
      metrics.observeOpen(open.length === 0 ? 0 : await erasures.countOpen())
      for (const erasure of open) {
        if (!(await hold())) return
        // One that fails does not hold back the others.
        const logFailure = (err: unknown) => logger.warn({ err, ...erasure }, 'Could not erase a person, retrying')
        await carryOut(erasure, hold).catch(logFailure)
      }
    },
    onFailure: (err) => logger.warn({ err }, 'Could not look for erasures, retrying'),
    pauseMs: () => everyMs,
  })
}
