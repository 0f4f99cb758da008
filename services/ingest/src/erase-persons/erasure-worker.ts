import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@herald/runtime'
import type { ErasureProgress, Erasures, Leases, OpenErasure } from '@herald/store'
import type { StorageGate } from '../storage-gate.ts'
import type { ErasureMetrics } from './erasure-metrics.ts'

export type ErasureWorkerDependencies = {
  readonly erasures: Pick<Erasures, 'open' | 'countOpen' | 'step'>
  readonly leases: Leases
  readonly gate: Pick<StorageGate, 'isOpen'>
  readonly metrics: Pick<ErasureMetrics, 'observeStep' | 'observeOpen'>
  /** The id of this process. */
  readonly holder: string
  readonly clock: () => Date
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly everyMs?: number
  /** Time between two log lines about the same erasure. */
  readonly logEveryMs?: number
}

/** Carries out accepted erasures. Every process of ingest has a worker; one of them works at a time. */
export type ErasureWorker = { start(): void; stop(): Promise<void> }

const lease = 'erasures'
/** A step is far shorter. */
const leaseMs = 30_000

export function createErasureWorker(dependencies: ErasureWorkerDependencies): ErasureWorker {
  const { erasures, leases, gate, metrics, holder, clock, logger } = dependencies
  const { everyMs = 2_000, logEveryMs = 10_000 } = dependencies
  const stopping = new AbortController()
  const { signal } = stopping
  let running = Promise.resolve()

  const isOurs = () => leases.hold(lease, { holder, now: clock(), ms: leaseMs })

  /** The person is not named: a log outlives the erasure. */
  const log = ({ subscriberId, eventId, phase, erased }: ErasureProgress, message: string): void =>
    logger.info({ subscriberId, eventId, phase, erased }, message)

  const carryOut = async (erasure: OpenErasure): Promise<void> => {
    let loggedAt = clock().getTime()
    while (!signal.aborted && (await isOurs())) {
      const progress = await erasures.step(erasure)
      if (progress === undefined) return
      metrics.observeStep(progress)
      if (progress.done) return log(progress, 'Person erased')
      if (clock().getTime() - loggedAt < logEveryMs) continue
      loggedAt = clock().getTime()
      log(progress, 'Erasing a person')
    }
  }

  const carryOutAll = async (): Promise<void> => {
    if (!(await gate.isOpen())) return
    const open = await erasures.open()
    metrics.observeOpen(open.length === 0 ? 0 : await erasures.countOpen())
    for (const erasure of open) {
      if (signal.aborted || !(await isOurs())) return
      // One that fails does not hold back the others.
      await carryOut(erasure).catch((err) => logger.warn({ err, ...erasure }, 'Could not erase a person, retrying'))
    }
  }

  const run = async (): Promise<void> => {
    for (;;) {
      await carryOutAll().catch((err) => logger.warn({ err }, 'Could not look for erasures, retrying'))
      await sleep(everyMs, undefined, { signal })
    }
  }

  return {
    start() {
      running = run().catch(() => {})
    },
    async stop() {
      stopping.abort()
      await running
      await leases.release(lease, holder).catch(() => {})
    },
  }
}
