import type { Unfinished } from '@herald/feed'
import { createLeasedWorker, type LeaseDependencies, type LeasedWorker, type Logger } from '@herald/runtime'

export type RelayDependencies = LeaseDependencies & {
  readonly unfinished: Unfinished
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly everyMs: number
}

/** Finishes requests whose process has died, and repeats retractions. */
export function createRelay(dependencies: RelayDependencies): LeasedWorker {
  const { unfinished, now, logger, everyMs } = dependencies
  return createLeasedWorker(dependencies, {
    lease: 'relay',
    leaseMs: 45_000,
    async work(hold) {
      while (await hold()) {
        const { finished, refused, again } = await unfinished.finish(now(), hold)
        for (const reason of refused)
          logger.error({ reason }, 'MongoDB rejected a notification of an interrupted request')
        if (finished > 0) logger.info({ finished }, 'Finished interrupted requests')
        if (finished + refused.length + again === 0) return
      }
    },
    onFailure: (err) => logger.warn({ err }, 'Could not finish interrupted requests, retrying'),
    pauseMs: () => everyMs,
  })
}
