import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@herald/runtime'
import type { Leases, MissingFanOuts } from '@herald/store'

export type WriteFanOutsDependencies = {
  readonly missingFanOuts: Pick<MissingFanOuts, 'step'>
  readonly leases: Leases
  readonly logger: Pick<Logger, 'info'>
  readonly clock: () => Date
  /** Time between two log lines. */
  readonly logEveryMs?: number
  readonly waitMs?: number
}

const lease = 'migrate-fan-outs'
const leaseMs = 30_000

/**
 * Writes the fan-outs of what earlier releases stored. Can be interrupted and run again; a second run at the same time waits
 * for the first.
 */
export async function writeFanOuts(dependencies: WriteFanOutsDependencies): Promise<void> {
  const { missingFanOuts, leases, logger, clock, logEveryMs = 10_000, waitMs = 1_000 } = dependencies
  const holder = randomUUID()
  let loggedAt = clock().getTime()
  const logAtTimes = (fields: object, message: string): void => {
    if (clock().getTime() - loggedAt < logEveryMs) return
    loggedAt = clock().getTime()
    logger.info(fields, message)
  }
  try {
    for (;;) {
      if (!(await leases.hold(lease, { holder, now: clock(), ms: leaseMs }))) {
        logAtTimes({}, 'Waiting for another run')
        await sleep(waitMs)
        continue
      }
      const { phase, count } = await missingFanOuts.step()
      if (phase === 'done') return logger.info({ written: count }, 'All notifications have fan-outs')
      logAtTimes({ phase, count }, phase === 'reading' ? 'Reading notifications' : 'Writing fan-outs')
    }
  } finally {
    await leases.release(lease, holder).catch(() => {})
  }
}
