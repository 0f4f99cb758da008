import { setTimeout as sleep } from 'node:timers/promises'
import type { Leases } from '@herald/store'
import type { StorageGate } from './storage-gate.ts'

/** Work beside the handling of records and requests. Every process has the worker; one of them works at a time. */
export type LeasedWorker = { start(): void; stop(): Promise<void> }

/** The dependencies of every worker. */
export type LeaseDependencies = {
  readonly leases: Leases
  readonly gate: Pick<StorageGate, 'isOpen'>
  /** The id of this process. */
  readonly holder: string
  readonly clock: () => Date
}

export type LeasedWork = {
  readonly lease: string
  /** Longer than the time between two calls of `hold`. */
  readonly leaseMs: number
  /**
   * Does everything that is due. `hold` takes or renews the lease; it resolves to `false` if another process has it, or
   * if the worker is to stop.
   */
  work(hold: () => Promise<boolean>): Promise<void>
  /** Called with the number of failures in sequence. */
  onFailure(err: unknown, failures: number): void
  /** Milliseconds until the next attempt, by the number of failures in sequence. */
  pauseMs(failures: number): number
}

/** Repeats the work until it is stopped, while the storage is ready. */
export function createLeasedWorker(
  { leases, gate, holder, clock }: LeaseDependencies,
  { lease, leaseMs, work, onFailure, pauseMs }: LeasedWork,
): LeasedWorker {
  const stopping = new AbortController()
  const { signal } = stopping
  let running = Promise.resolve()

  const hold = async () => !signal.aborted && (await leases.hold(lease, { holder, now: clock(), ms: leaseMs }))

  const run = async (): Promise<void> => {
    for (let failures = 0; ; ) {
      try {
        if (await gate.isOpen()) await work(hold)
        failures = 0
      } catch (err) {
        onFailure(err, ++failures)
      }
      await sleep(pauseMs(failures), undefined, { signal })
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
