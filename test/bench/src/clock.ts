import process from 'node:process'

/** Milliseconds of the machine's monotonic clock, which is the same in all its processes. */
export const now = () => Number(process.hrtime.bigint()) / 1e6
