import type { CheckOutcome } from '@herald/runtime'
import type { PartitionLag } from './kafka/lag-monitor.ts'

export type LivenessDependencies = {
  readonly clock: () => Date
  /** Milliseconds without progress, though there is work. */
  readonly stallMs: number
  readonly lags: () => readonly PartitionLag[]
  readonly stuckSince: (topic: string, partition: number) => Date | undefined
  readonly isAssigned: (topic: string, partition: number) => boolean
  /** When a chunk last waited for a dependency: what is held back so is not stuck. */
  readonly lastHeldBack: (topic: string, partition: number) => Date | undefined
  /** When the consumer last did anything: fetched, beat, joined, or was built anew. */
  readonly lastSignOfLife: () => Date
}

/**
 * Whether the consumer can make progress. It can't when a partition that is its own has had work for too long and nothing
 * of it was committed, or when it does nothing at all; MongoDB or a broker that is away is no reason to kill it.
 */
export function checkConsumerLiveness(dependencies: LivenessDependencies): CheckOutcome {
  const { clock, stallMs, lags, stuckSince, isAssigned, lastHeldBack, lastSignOfLife } = dependencies
  const limit = clock().getTime() - stallMs
  const silentSince = lastSignOfLife()
  if (silentSince.getTime() < limit) {
    return { ok: false, detail: `The consumer has done nothing since ${silentSince.toISOString()}` }
  }
  for (const { topic, partition, lag } of lags()) {
    const since = stuckSince(topic, partition)
    if (lag === 0 || since === undefined || since.getTime() >= limit || !isAssigned(topic, partition)) continue
    if ((lastHeldBack(topic, partition)?.getTime() ?? 0) >= limit) continue
    return {
      ok: false,
      detail: `${topic}/${partition} has stood still since ${since.toISOString()}, ${lag} records wait`,
    }
  }
  return { ok: true }
}
