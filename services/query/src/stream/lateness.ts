import { type Position, timeOfPosition } from '@herald/store'

/** Whether a position, which has whole seconds, may be of this time or before. */
export function isUpTo(position: Position, time: number | undefined): boolean {
  const at = timeOfPosition(position)
  return time !== undefined && at !== undefined && at.getTime() <= time
}

export type LatenessOptions = {
  /** Whether the stream was opened at an earlier position. */
  readonly isResumed: boolean
  readonly lateMs: number
  /** By MongoDB's clock, in milliseconds. */
  readonly now: () => number
  readonly behindMs: (position: Position) => number
}

/**
 * Decides for each step of a change stream whether it may have been stored long before. MongoDB answers every second, so after a
 * reopening or a longer silence, as when the driver reconnects by itself, steps count as late for a while whatever their time.
 */
export function createLateness({ isResumed, lateMs, now, behindMs }: LatenessOptions): (position: Position) => boolean {
  let arrivedAt = isResumed ? Number.NEGATIVE_INFINITY : performance.now()
  let resumedAt = Number.NEGATIVE_INFINITY
  return (position) => {
    const at = performance.now()
    if (at - arrivedAt > lateMs) resumedAt = at
    arrivedAt = at
    return at - resumedAt <= lateMs || isUpTo(position, now() - lateMs) || behindMs(position) > lateMs
  }
}
