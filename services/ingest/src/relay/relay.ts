import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@herald/runtime'
import type { Leases, Unfinished } from '@herald/store'
import type { StorageGate } from '../storage-gate.ts'

export type RelayDependencies = {
  readonly unfinished: Unfinished
  readonly leases: Leases
  readonly gate: Pick<StorageGate, 'isOpen'>
  /** The id of this process. */
  readonly holder: string
  readonly clock: () => Date
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly everyMs?: number
}

/** Finishes requests whose process has died. Every process of ingest has a relay; one of them works at a time. */
export type Relay = { start(): void; stop(): Promise<void> }

const lease = 'relay'
const leaseMs = 60_000

export function createRelay(dependencies: RelayDependencies): Relay {
  const { unfinished, leases, gate, holder, clock, logger, everyMs = 15_000 } = dependencies
  const stopping = new AbortController()
  const { signal } = stopping
  let running = Promise.resolve()

  const finishAll = async (): Promise<void> => {
    if (!(await gate.isOpen())) return
    while (!signal.aborted && (await leases.hold(lease, { holder, now: clock(), ms: leaseMs }))) {
      const { finished, refused } = await unfinished.finish(clock())
      for (const reason of refused)
        logger.error({ reason }, 'MongoDB rejected a notification of an interrupted request')
      if (finished > 0) logger.info({ finished }, 'Finished interrupted requests')
      if (finished + refused.length === 0) return
    }
  }

  const run = async (): Promise<void> => {
    for (;;) {
      await finishAll().catch((err) => logger.warn({ err }, 'Could not finish interrupted requests, retrying'))
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
