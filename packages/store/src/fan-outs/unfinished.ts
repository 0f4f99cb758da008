import type { Collection } from 'mongodb'
import { readLimits } from '../reading/read-limits.ts'
import type { FanOutDocument } from './fan-out-document.ts'
import type { StoreNotifications } from './fan-out-notifications.ts'
import { fromContent } from './request-content.ts'
import type { CarryOut } from './retractions.ts'
import type { TombstoneDocument } from './tombstone-document.ts'

/** Requests whose process died on the way. Events need none of this, because Kafka delivers them again. */
export type Unfinished = {
  /**
   * Finishes what is due, the oldest first, up to a limited number.
   *
   * @returns the number of requests finished, and why MongoDB refused the others
   */
  finish(now: Date): Promise<{ readonly finished: number; readonly refused: readonly string[] }>
}

/** Of less than 300 KB each. */
const requestsPerCall = 20
const byDueTime = { ...readLimits, hint: 'due', sort: { dueAt: 1 }, limit: requestsPerCall } as const

export type UnfinishedDependencies = {
  readonly fanOuts: Collection<FanOutDocument>
  readonly tombstones: Collection<TombstoneDocument>
  readonly storeNotifications: StoreNotifications
  readonly carryOut: CarryOut
}

export function createUnfinished(dependencies: UnfinishedDependencies): Unfinished {
  const { fanOuts, tombstones, storeNotifications, carryOut } = dependencies
  return {
    async finish(now) {
      const due = { dueAt: { $lte: now } } as const
      const retractions = await tombstones.find(due, byDueTime).toArray()
      if (retractions.length > 0) await carryOut(retractions)
      const found = await fanOuts.find(due, byDueTime).toArray()
      const refusals: string[] = []
      const contents = found.flatMap(({ content }) => content ?? [])
      for (const content of contents) {
        // Stores what is missing, and is no longer due afterwards, stored or refused.
        const { refused } = await storeNotifications([{ ...fromContent(content), finishBy: now }])
        refusals.push(...refused.map(({ reason }) => reason))
      }
      return { finished: retractions.length + contents.length - refusals.length, refused: refusals }
    },
  }
}
