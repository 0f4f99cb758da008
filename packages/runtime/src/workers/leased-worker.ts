import { setTimeout as sleep } from 'node:timers/promises'
import type { Deadlines } from '../health/deadlines.ts'

/** Work beside the handling of records and requests. Every process has the worker; one of them works at a time. */
export type LeasedWorker = { start(): void; stop(): Promise<void> }

/** One process has the lease of this name at a time, by the clock of the storage. */
type Leases = {
  hold(name: string, lease: { readonly holder: string; readonly ms: number }): Promise<boolean>
  release(name: string, holder: string): Promise<void>
}

export type LeaseDependencies = {
  readonly leases: Leases
  readonly gate: { isOpen(): Promise<boolean> }
  readonly holder: string
  /** The time by the clock of the storage. */
  readonly now: () => Date
  readonly deadlines: Pick<Deadlines, 'keep'>
  readonly stepLimitMs?: number
}

export type LeasedWork = {
  readonly lease: string
  /** Longer than the time between two calls of `hold`. */
  readonly leaseMs: number
  /**
   * Does everything that is due. `hold` takes or renews the lease; it resolves to `false` if another process has it, or
   * if the worker is to stop. Each call begins a step. One that does not end is given up, and the work begins anew.
   */
  work(hold: () => Promise<boolean>): Promise<void>
  onFailure(err: unknown, failures: number): void
  /** Milliseconds until the next attempt, by the number of failures in sequence. */
  pauseMs(failures: number): number
}

/** Repeats the work until it is stopped, while the storage is ready. */
export function createLeasedWorker(
  { leases, gate, holder, deadlines, stepLimitMs = 60_000 }: LeaseDependencies,
  { lease, leaseMs, work, onFailure, pauseMs }: LeasedWork,
): LeasedWorker {
  const stopping = new AbortController()
  const { signal } = stopping
  let running = Promise.resolve()

  const workOnce = (): Promise<void> => {
    const { promise: givenUp, reject } = Promise.withResolvers<never>()
    let isGivenUp = false
    let endStep = () => {}
    const beginStep = (): void => {
      endStep()
      const step = Promise.withResolvers<void>()
      endStep = step.resolve
      deadlines.keep(`A step of the worker ${lease}`, stepLimitMs, step.promise).catch((error) => {
        isGivenUp = true
        reject(error)
      })
    }
    const hold = async () => {
      if (signal.aborted || isGivenUp) return false
      beginStep()
      return leases.hold(lease, { holder, ms: leaseMs })
    }
    beginStep()
    return Promise.race([givenUp, work(hold).finally(() => endStep())])
  }

  const run = async (): Promise<void> => {
    for (let failures = 0; ; ) {
      try {
        if (await gate.isOpen()) await workOnce()
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
