/** A long read is made of steps of this size. */
export const stepBytes = 1024 * 1024
/** The first step is small, because the size of the documents is not known yet. */
export const firstStepCount = 4
const stepGrowth = 8

/** The number of documents that fill a step if they are as large as the previous ones. */
export function nextCount(count: number, found: readonly Buffer[], step: number): number {
  if (found.length === 0) return count
  const bytes = found.reduce((sum, document) => sum + document.length, 0)
  const fitting = Math.floor((stepBytes * found.length) / bytes)
  return Math.max(1, Math.min(step, count * stepGrowth, fitting))
}
