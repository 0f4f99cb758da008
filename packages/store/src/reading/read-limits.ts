/** Every read ends on the server after this time, even if its client is gone. */
export const readLimits = { maxTimeMS: 5_000 } as const
