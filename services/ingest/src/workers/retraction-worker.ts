import type { Retractions } from '@herald/feed'
import { createLeasedWorker, type LeaseDependencies, type LeasedWorker, type Logger } from '@herald/runtime'

export type RetractionWorkerDependencies = LeaseDependencies & {
  readonly retractions: Pick<Retractions, 'nextLeft' | 'goOn'>
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly everyMs: number
}

/** Carries out large retractions, a step of each subscriber in turn, so that none waits for the end of another's. */
export function createRetractionWorker(dependencies: RetractionWorkerDependencies): LeasedWorker {
  const { retractions, logger, everyMs } = dependencies

  /** Whether the step succeeded: one that fails does not hold back the others. */
  const goOn = async (subscriberId: string): Promise<boolean> => {
    try {
      const { done, refused } = await retractions.goOn(subscriberId)
      for (const reason of refused) logger.error({ subscriberId, reason }, 'MongoDB rejected a retraction')
      if (done > 0) logger.info({ subscriberId, done }, 'Large retractions done')
      return true
    } catch (err) {
      logger.warn({ err, subscriberId }, 'Could not go on with a retraction, retrying')
      return false
    }
  }

  return createLeasedWorker(dependencies, {
    lease: 'retractions',
    // A step is far shorter.
    leaseMs: 30_000,
    async work(hold) {
      for (let isGoingOn = true; isGoingOn; ) {
        isGoingOn = false
        for (let behind: string | undefined; await hold(); ) {
          behind = await retractions.nextLeft(behind)
          if (behind === undefined) break
          if (await goOn(behind)) isGoingOn = true
        }
      }
    },
    onFailure: (err) => logger.warn({ err }, 'Could not look for retractions, retrying'),
    pauseMs: () => everyMs,
  })
}
