export const isFullRun = process.env.HERALD_FULL === '1'
export const usually = (value, { inFullRuns }) => (isFullRun ? inFullRuns : value)
export const someFromTo = (from, to, every) =>
  Array.from({ length: to - from + 1 }, (_, offset) => from + offset).filter((_, n) => isFullRun || n % every === 0)
