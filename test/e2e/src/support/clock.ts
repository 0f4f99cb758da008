import { eventually } from '@herald/test-servers'

/** Waits for a later second than that of `timestamp`, so that a new time is distinguishable from it. */
export const untilSecondAfter = (timestamp: string) =>
  eventually(() => Date.now() >= Date.parse(timestamp) + 1_000, { description: `a second after ${timestamp}` })
