import { type ErasureProgress, type Erasures, erasurePhases, type OpenErasure } from '@herald/persons'
import { type Clock, createLeasedWorker, type LeaseDependencies, type LeasedWorker, type Logger } from '@herald/runtime'
import { Counter, type Registry } from 'prom-client'
import { createShownCount, secondsSince } from './shown-count.ts'

export type ErasureWorkerDependencies = LeaseDependencies & {
  readonly erasures: Pick<Erasures, 'open' | 'step' | 'lookAgain'>
  readonly metrics: Pick<ReturnType<typeof createErasureMetrics>, 'observeStep'>
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly everyMs: number
  readonly logEveryMs?: number
}

export function createErasureWorker(dependencies: ErasureWorkerDependencies): LeasedWorker {
  const { erasures, metrics, now, logger, everyMs, logEveryMs = 10_000 } = dependencies

  /** The person is not named: a log outlives the erasure. */
  const log = ({ subscriberId, eventId, phase, erased }: ErasureProgress, message: string): void =>
    logger.info({ subscriberId, eventId, phase, erased }, message)

  const carryOut = async (erasure: OpenErasure, hold: () => Promise<boolean>): Promise<void> => {
    let loggedAt = now().getTime()
    while (await hold()) {
      const progress = await erasures.step(erasure)
      if (progress === undefined) return
      metrics.observeStep(progress)
      if (progress.done) return log(progress, 'Person erased')
      if (now().getTime() - loggedAt < logEveryMs) continue
      loggedAt = now().getTime()
      log(progress, 'Erasing a person')
    }
  }

  return createLeasedWorker(dependencies, {
    lease: 'erasures',
    // A step is far shorter.
    leaseMs: 30_000,
    async work(hold) {
      const open = await erasures.open()
      for (const erasure of open) {
        if (!(await hold())) return
        // One that fails does not hold back the others.
        const logFailure = (err: unknown) => logger.warn({ err, ...erasure }, 'Could not erase a person, retrying')
        await carryOut(erasure, hold).catch(logFailure)
      }
      while (await erasures.lookAgain(now(), hold));
    },
    onFailure: (err) => logger.warn({ err }, 'Could not look for erasures, retrying'),
    pauseMs: () => everyMs,
  })
}

export function createErasureMetrics(registry: Registry) {
  const registers = [registry]
  const erased = new Counter({
    name: 'herald_erased_documents_total',
    help: 'Documents deleted or masked by erasures of persons, by phase',
    labelNames: ['phase'],
    registers,
  })
  const dropped = new Counter({
    name: 'herald_erased_receipts_total',
    help: 'Receipts dropped because their recipient was erased',
    registers,
  })
  // A series that starts with its first value starts above 0, which `increase` does not see.
  for (const phase of erasurePhases) erased.inc({ phase }, 0)
  return {
    observeStep: ({ phase, erasedNow }: ErasureProgress) => erased.inc({ phase }, erasedNow),
    observeDropped: (count: number) => dropped.inc(count),
    /** Exposes what is open as of the last look, whichever process works; nothing while MongoDB is unavailable. */
    showOpen({ readOpen }: Pick<Erasures, 'readOpen'>, clock: Clock, countedMs: number) {
      const show = createShownCount(registry, readOpen, countedMs)
      show('herald_erasures_open', 'Erasures of persons that are accepted and not done yet', ({ count }) => count)
      show(
        'herald_erasures_oldest_seconds',
        'How long the oldest of them has been waiting for its next step',
        ({ oldest }) => secondsSince(oldest, clock()),
      )
    },
  }
}
