/** Every read ends on the server after this time, whatever becomes of its client. */
export const readLimits = { maxTimeMS: 5_000 } as const
