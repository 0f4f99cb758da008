import { type Hold, lookAgainMs, readLimits } from '@herald/mongo'
import type { Collection } from 'mongodb'
import type { FeedCollections } from '../documents/collections.ts'
import type { FanOutDocument } from '../documents/fan-out-document.ts'
import { fromRequestContent } from '../documents/notification-document.ts'
import type { RetractBy } from '../retractions/retractions.ts'
import type { StoreNotifications } from './store-notifications.ts'

/** Work that no redelivered event causes. */
export type Unfinished = {
  /**
   * Finishes requests whose process died on the way, and retracts once more what was retracted a while ago. Does what is
   * due, the oldest first, up to a limited number, or until `hold`, which is called before each request, resolves to
   * `false`. Forgets announcements that are due for a month, as without a topic. What was dated by a clock that was ahead for a
   * while is due as if it had been right.
   *
   * @returns the number of requests finished, why MongoDB refused others, and the number of retractions done again
   */
  finish(now: Date, hold?: Hold): Promise<Finished>
}

type Finished = { readonly finished: number; readonly refused: readonly string[]; readonly again: number }

/** A request has less than 300 KB. */
const requestsPerCall = 20
const announcedWithinMs = 30 * 24 * 60 * 60 * 1_000
/** Nothing but repetitions is due later than that; an announcement that was too large waits for ten minutes. */
const latestMs = 11 * 60 * 1_000
const byDueTime = { ...readLimits, hint: 'due', sort: { dueAt: 1 }, limit: requestsPerCall } as const

export type UnfinishedDependencies = Pick<FeedCollections, 'fanOuts' | 'tombstones'> & {
  readonly storeNotifications: StoreNotifications
  readonly retractBy: RetractBy
}

export function createUnfinished(dependencies: UnfinishedDependencies): Unfinished {
  const { fanOuts, tombstones, storeNotifications, retractBy } = dependencies
  return {
    async finish(now, hold = async () => true) {
      await levelTimes(dependencies, now)
      const due = { dueAt: { $lte: now } } as const
      const retractions = await tombstones.find(due, byDueTime).toArray()
      const { retracted, refused: notRetracted } = await retractBy(retractions)
      const refusals = [...notRetracted.values()]
      const again = retracted.filter(({ done }) => done).length
      const found = await fanOuts.find(due, byDueTime).toArray()
      const contents = found.flatMap(({ content }) => content ?? [])
      let stored = 0
      for (const content of contents) {
        if (!(await hold())) break
        // Stores what is missing, and is no longer due afterwards, stored or refused.
        const { refused } = await storeNotifications([{ ...fromRequestContent(content), finishBy: now }])
        refusals.push(...refused.map(({ reason }) => reason))
        stored++
      }
      const finished = retracted.length - again + stored - refusals.length
      await forgetAnnouncements(fanOuts, new Date(now.getTime() - announcedWithinMs))
      return { finished, refused: refusals, again }
    },
  }
}

/** A clock that was ahead has dated what is due: nobody waits for the time that it told. */
async function levelTimes({ fanOuts, tombstones }: UnfinishedDependencies, now: Date): Promise<void> {
  const after = (ms: number) => new Date(now.getTime() + ms)
  const [due, repeated] = [
    { dueAt: { $gt: after(latestMs) } },
    { dueAt: { $gt: after(lookAgainMs + latestMs) } },
  ] as const
  await fanOuts.updateMany(
    { announceAt: { $gt: after(latestMs) } },
    { $set: { announceAt: now } },
    { hint: 'announce' },
  )
  await fanOuts.updateMany(due, { $set: { dueAt: now } }, { hint: 'due' })
  await tombstones.updateMany({ ...due, done: { $exists: false } }, { $set: { dueAt: now } }, { hint: 'due' })
  await tombstones.updateMany(repeated, { $set: { dueAt: after(lookAgainMs) } }, { hint: 'due' })
}

async function forgetAnnouncements(fanOuts: Collection<FanOutDocument>, before: Date): Promise<void> {
  const announced = { announceAt: true, unannounced: true } as const
  await fanOuts.updateMany({ announceAt: { $lt: before } }, { $unset: announced }, { hint: 'announce' })
  await fanOuts.updateMany({ unreadAt: { $lt: before } }, { $unset: { unreadAt: true } }, { hint: 'unread' })
}
