import type { Timestamp } from 'mongodb'

/** Every read ends on the server after this time, even if its client is gone. */
export const readLimits = { maxTimeMS: 5_000 } as const

/** Users see only what a majority has: anything else may be gone after a failover. */
export const userReads = { ...readLimits, readConcern: { level: 'majority' } } as const

/** Reads at least as new as a time of MongoDB: a new primary may not yet know that a majority has what was read before. */
export const readsAfter = (time: Timestamp | undefined) => ({
  ...readLimits,
  readConcern: { ...userReads.readConcern, ...(time && { afterClusterTime: time }) },
})
