import type { IncomingRecord } from '@herald/kafka'

export type DecisionTimes = {
  /** By MongoDB's clock. */
  readonly now: Date
  /** By the clock of this process. */
  readonly ownNow?: Date | undefined
  /** Events from before have expired. */
  readonly keepFrom?: Date | undefined
}

/** The latest of the clocks that are known, so that no clock that is slow refuses an event by itself. */
export const latestTime = ({ appendedAt = 0 }: IncomingRecord, { now, ownNow = now }: DecisionTimes): number =>
  Math.max(now.getTime(), ownNow.getTime(), appendedAt)
