import type { Db } from 'mongodb'
import type { CollectionPlan } from './collection-plan.ts'
import { type Differences, findDifferences } from './find-missing.ts'

export type ReadinessSource = {
  /** Compares everything, with some twenty questions, one after the other. */
  readonly compare: () => Promise<Differences>
  /** Answers one question: whether all collections are there. */
  readonly isThere: () => Promise<boolean>
  /** Milliseconds of this process. */
  readonly clock?: () => number
}

/** An index that somebody drops is noticed within it. */
const compareEveryMs = 10_000
const timeLimit = { maxTimeMS: 5_000 } as const

/**
 * Returns a function for probes, which have a limit that all questions together would exceed where MongoDB is a region away. So a
 * comparison goes on behind the probe that begins it, and once nothing is missing a probe waits for one question only.
 */
export function createReadiness({ compare, isThere, clock = () => performance.now() }: ReadinessSource) {
  let latest: Differences | undefined
  let comparing: Promise<Differences> | undefined
  let comparedAt = 0
  const compareOnce = (): Promise<Differences> => {
    comparing ??= compare()
      .then((found) => {
        latest = found
        comparedAt = clock()
        return found
      })
      .finally(() => {
        comparing = undefined
      })
    return comparing
  }
  return async (): Promise<Differences> => {
    if (latest === undefined || latest.missing.length > 0) return compareOnce()
    if (clock() - comparedAt > compareEveryMs) compareOnce().catch(() => {})
    return (await isThere()) ? latest : compareOnce()
  }
}

export function createDatabaseReadiness(database: Db, plans: readonly CollectionPlan[]) {
  return createReadiness({
    compare: () => findDifferences(database, plans),
    async isThere() {
      const found = await database.listCollections({}, { ...timeLimit, nameOnly: true }).toArray()
      const names = new Set(found.map(({ name }) => name))
      return plans.every(({ name }) => names.has(name))
    },
  })
}
