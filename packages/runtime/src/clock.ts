/** Returns the current time; passed in so that tests can control it. */
export type Clock = () => Date

/** The clock of the machine. */
export const systemClock: Clock = () => new Date()
