/** The full run has more operations, events and kills than each run of `npm test`. */
export const isFullRun = process.env.HERALD_FULL === '1'
