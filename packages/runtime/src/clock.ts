/** Where the time comes from; passed in, so that a test can set it. */
export type Clock = { readonly now: () => Date }

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() }
