import { setTimeout as sleep } from 'node:timers/promises'

/** So that a user's 15 MB are still stored within seconds. */
const longestMs = 100

/** Leaves MongoDB and the processors to others for as long as an operation of one user took: half of the time. */
export const leaveToOthers = (tookMs: number): Promise<void> => sleep(Math.min(tookMs, longestMs))
