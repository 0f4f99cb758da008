import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@herald/runtime'
import type { Leases } from '@herald/store'

type Progress<Phase extends string> = { readonly phase: Phase | 'done' }

/** A migration of stored documents, done in steps. */
export type SteppedMigration<Phase extends string> = {
  /** The name of the lease under which one process runs it. */
  readonly lease: string
  /** The log line of each phase. */
  readonly messages: Readonly<Record<Phase | 'done', string>>
  /** Does the next step. Continues after the last one, in any process. */
  readonly step: () => Promise<Progress<Phase>>
}

export type WorkOffDependencies = {
  readonly leases: Leases
  readonly logger: Pick<Logger, 'info'>
  readonly clock: () => Date
  /** Time between two log lines. */
  readonly logEveryMs?: number
  readonly waitMs?: number
}

const leaseMs = 30_000

/**
 * Takes all steps of a migration. Can be interrupted and run again; a second run at the same time waits for the first.
 */
export async function workOffMigration<Phase extends string>(
  { lease, messages, step }: SteppedMigration<Phase>,
  { leases, logger, clock, logEveryMs = 10_000, waitMs = 1_000 }: WorkOffDependencies,
): Promise<void> {
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
      const { phase, ...progress } = await step()
      if (phase === 'done') return logger.info(progress, messages.done)
      logAtTimes({ phase, ...progress }, messages[phase])
    }
  } finally {
    await leases.release(lease, holder).catch(() => {})
  }
}
