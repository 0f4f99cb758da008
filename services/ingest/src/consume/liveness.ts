import type { CheckOutcome, Clock } from '@herald/runtime'
import type { EventConsumer } from './event-consumer.ts'
import type { LagMonitor } from './lag-monitor.ts'

export type LivenessDependencies = Pick<LagMonitor, 'lags' | 'stuckSince'> &
  Pick<EventConsumer, 'isAssigned' | 'lastSignOfLife'> & {
    readonly clock: Clock
    /** Milliseconds without progress, although records are waiting, after which the check fails. */
    readonly stallMs: number
    /** When a chunk of the partition last failed because of a dependency; such a partition is not stuck. */
    readonly lastHeldBack: (topic: string, partition: number) => Date | undefined
  }

/**
 * Checks whether the consumer can make progress. It fails if an assigned partition has had records but no commit for too
 * long, or if the consumer is inactive. An unavailable MongoDB or broker is not a failure: a restart would not help.
 */
export function checkConsumerLiveness(dependencies: LivenessDependencies): CheckOutcome {
  const { clock, stallMs, lags, stuckSince, isAssigned, lastHeldBack, lastSignOfLife } = dependencies
  const limit = clock().getTime() - stallMs
  const silentSince = lastSignOfLife()
  if (silentSince.getTime() < limit) {
    return { ok: false, detail: `The consumer has been inactive since ${silentSince.toISOString()}` }
  }
  for (const { topic, partition, lag } of lags()) {
    const since = stuckSince(topic, partition)
    if (lag === 0 || since === undefined || since.getTime() >= limit || !isAssigned(topic, partition)) continue
    if ((lastHeldBack(topic, partition)?.getTime() ?? 0) >= limit) continue
    return {
      ok: false,
      detail: `${topic}/${partition} has made no progress since ${since.toISOString()}, ${lag} records are waiting`,
    }
  }
  return { ok: true }
}
