import { type ClusterTimes, isDuplicateKey, type Position, userReads } from '@herald/mongo'
import type { Collection } from 'mongodb'
import type { LogStateDocument } from '../documents/log-page-document.ts'

export type Comparison = NonNullable<LogStateDocument['comparison']>

type Level = Pick<LogStateDocument, 'levelAt' | 'position'> & { readonly now: Date }

export type OrderState = ReturnType<typeof createOrderState>

const _id = 'order'

/** Positions only ever advance, so a process that was frozen changes nothing when it wakes up. */
export function createOrderState(logState: Collection<LogStateDocument>, behindMs: ClusterTimes['behindMs'] = () => 0) {
  const update = async (filter: object, change: object, upsert: boolean) => {
    await logState.updateOne({ _id, ...filter }, change, { upsert })
  }
  /** The time is the primary's now, less what the position is behind: it has no time of its own that a clock was right at. */
  const levelWith = (position: Position) => {
    const isNewer = { $gte: [position, { $ifNull: ['$position', ''] }] }
    const ifNewer = (value: unknown, field: string) => ({ $cond: [isNewer, value, field] })
    const levelAt = ifNewer({ $subtract: ['$$NOW', Math.round(behindMs(position))] }, '$levelAt')
    return [{ $set: { position: ifNewer(position, '$position'), levelAt } }]
  }
  return {
    read: () => logState.findOne({ _id }, userReads),
    /** When the order was last level, and the present time, both by the primary's clock. */
    readLevel: () =>
      logState.findOne<Level>({ _id }, { ...userReads, projection: { levelAt: 1, position: 1, now: '$$NOW' } }),
    /** The order contains everything up to this position. */
    async advance(position: Position): Promise<void> {
      await update({}, levelWith(position), false)
    },
    async beginComparison(comparison: Comparison): Promise<void> {
      try {
        await update({}, { $set: { comparison }, $setOnInsert: { v: 1 } }, true)
      } catch (error) {
        // Another process inserted it at the same time, and compares too.
        if (!isDuplicateKey(error)) throw error
      }
    },
    async saveComparison({ position, after }: Comparison): Promise<void> {
      await update({ 'comparison.position': position }, { $set: { 'comparison.after': after } }, false)
    },
    async endComparison({ position }: Comparison): Promise<void> {
      await update({}, levelWith(position), false)
      await update({ 'comparison.position': position }, { $unset: { comparison: true } }, false)
    },
  }
}
