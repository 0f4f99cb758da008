import { type Position, timeOfPosition } from '@herald/store'

/** Whether a position, which has whole seconds, may be of this time or before. */
export function isUpTo(position: Position, time: number | undefined): boolean {
  const at = timeOfPosition(position)
  return time !== undefined && at !== undefined && at.getTime() <= time
}
