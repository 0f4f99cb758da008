import type { Sequencer } from '@herald/change-log'
import {
  backoffMs,
  createLeasedWorker,
  type HealthCheck,
  type LeaseDependencies,
  type LeasedWorker,
  type Logger,
} from '@herald/runtime'
import type { SequencingMetrics } from './metrics.ts'

export type SequencingWorkerDependencies = Omit<LeaseDependencies, 'gate'> & {
  readonly sequencer: Sequencer
  readonly storage: Pick<HealthCheck, 'check'>
  readonly metrics: SequencingMetrics
  readonly logger: Pick<Logger, 'info' | 'warn'>
}

/** A step may read gigabytes of large entries. */
const stepLimitMs = 5 * 60_000
/** Renewed each second. Those who wait for it look as often as they pause. */
const leaseMs = 5_000
const pauses = { minPauseMs: 500, maxPauseMs: 10_000 } as const
const idlePauseMs = 1_000

/** Opens when MongoDB is ready for the first time. */
export function openOnceReady(storage: Pick<HealthCheck, 'check'>) {
  let isOpen = false
  return {
    async isOpen() {
      isOpen ||= (await storage.check(new AbortController().signal)).ok
      return isOpen
    },
  }
}

/** Runs the sequencer in one process at a time, which spares the others its work; nothing depends on it. */
export function createSequencingWorker(dependencies: SequencingWorkerDependencies): LeasedWorker {
  const { sequencer, storage, metrics, logger, ...leased } = dependencies
  const gate = openOnceReady(storage)
  let wasComparing: boolean | undefined
  return createLeasedWorker(
    { ...leased, gate, stepLimitMs },
    {
      lease: 'sequencer',
      leaseMs,
      work: (hold) =>
        sequencer.work(hold, (progress) => {
          metrics.observe(progress)
          const isComparing = progress.levelAt === undefined
          if (isComparing !== wasComparing) {
            if (isComparing) logger.info('Comparing what is stored with the recorded order')
            else logger.info({ levelAt: progress.levelAt }, 'Following what is stored')
          }
          wasComparing = isComparing
        }),
      onFailure: (err, failures) => logger.warn({ err, failures }, 'Could not assign the recorded order, retrying'),
      pauseMs: (failures) => (failures === 0 ? idlePauseMs : backoffMs(failures, pauses)),
    },
  )
}
