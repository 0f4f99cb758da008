import type { Anchor, SealerListener, Sealing, StartedWitnessing } from '@herald/change-log'
import { backoffMs, createLeasedWorker, type LeaseDependencies, type LeasedWorker, type Logger } from '@herald/runtime'
import type { SealingMetrics } from './metrics.ts'
import type { Signer } from './signer.ts'

export type SealingWorkerDependencies = Omit<LeaseDependencies, 'leases' | 'holder'> & {
  readonly sealing: Pick<Sealing, 'createSealer'>
  readonly signer: Signer
  readonly intervalMs: number
  readonly anchor?: Anchor | undefined
  readonly witnessing?: StartedWitnessing | undefined
  /** Whether this process assigns the recorded order; then it seals, too. */
  readonly isSequencing: () => boolean
  /** Notes origin and keys. @throws OriginConflict, KeyConflict */
  readonly noteKeys: () => Promise<void>
  readonly metrics: SealingMetrics
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
}

/** A step of a long log reads some 500,000 leaves; one of the topic ends earlier if nothing arrives. */
const stepLimitMs = 5 * 60_000
const pauses = { minPauseMs: 500, maxPauseMs: 10_000 } as const
const idlePauseMs = 500
/** Warnings are this far apart: an unavailable MongoDB would otherwise write a line for each log. */
const warnEveryMs = 10_000
const conflictEveryMs = 60_000

/** Seals in the process that assigns the recorded order, because it knows what has grown. Nothing depends on that. */
export function createSealingWorker(dependencies: SealingWorkerDependencies): LeasedWorker {
  const { sealing, signer, intervalMs, anchor, witnessing, isSequencing, noteKeys, metrics, logger, ...leased } =
    dependencies
  const sealer = sealing.createSealer({
    intervalMs,
    sign: signer.sign,
    anchor,
    witnessing,
    listener: createListener({ metrics, logger }),
  })
  metrics.observe(sealer)
  const leases = { hold: async () => isSequencing(), release: async () => {} }
  return createLeasedWorker(
    { ...leased, leases, holder: '', stepLimitMs },
    {
      lease: 'sealer',
      leaseMs: 0,
      async work(hold) {
        // Before anything is signed; another process may have been configured otherwise since.
        if (isSequencing()) await noteKeys()
        await sealer.work(hold)
      },
      onFailure: (err, failures) => logger.warn({ err, failures }, 'Could not seal change logs, retrying'),
      pauseMs: (failures) => (failures === 0 ? idlePauseMs : backoffMs(failures, pauses)),
    },
  )
}

function createListener({ metrics, logger }: Pick<SealingWorkerDependencies, 'metrics' | 'logger'>): SealerListener {
  let [warnedAt, failures] = [Number.NEGATIVE_INFINITY, 0]
  let [stoppedAt, others] = [Number.NEGATIVE_INFINITY, 0]
  return {
    onSealed: (_, { leaves }) => metrics.sealed(leaves),
    onConflict(subscriberId, reason) {
      // A line a minute, however many logs somebody stops. `herald log status` names all of them.
      if (performance.now() - stoppedAt < conflictEveryMs) return void others++
      const before = others
      stoppedAt = performance.now()
      others = 0
      logger.error(
        { subscriberId, reason, others: before },
        `The change log of a subscriber does not agree with what was sealed of it before: ${reason}. It is sealed no further; other logs are. Runbook: HeraldLogConflict`,
      )
    },
    onResolved: (subscriberId) => logger.info({ subscriberId }, 'The change log of a subscriber is sealed again'),
    onFailure(err, subscriberId) {
      failures++
      if (performance.now() - warnedAt < warnEveryMs) return
      const what = subscriberId === undefined ? 'publish checkpoints' : 'seal the change log of a subscriber'
      logger.warn({ err, subscriberId, failures }, `Could not ${what}, retrying`)
      warnedAt = performance.now()
      failures = 0
    },
  }
}
