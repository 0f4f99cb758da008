/** Whether this is the full run (`npm run test:all`), which also has the files `*.long.*`, and more and larger cases. */
export const isFullRun: boolean
/** A size, a list of cases or the like on each run, and in the full one. */
export function usually<Value>(value: Value, other: { readonly inFullRuns: Value }): Value
/** Every so many of the numbers, from the first one; in the full run all up to the last one. */
export function someFromTo(from: number, to: number, every: number): number[]
