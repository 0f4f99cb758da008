/** Every read ends on the server after this time, even if its client is gone. */
export const readLimits = { maxTimeMS: 5_000 } as const

/** Of what users see: otherwise, it may be gone after a failover. */
export const userReads = { ...readLimits, readConcern: { level: 'majority' } } as const
