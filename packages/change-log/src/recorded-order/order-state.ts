import { isDuplicateKey, type Position, timeOfPosition, userReads } from '@herald/mongo'
import type { Collection } from 'mongodb'
import type { LogStateDocument } from '../documents/log-page-document.ts'

export type Comparison = NonNullable<LogStateDocument['comparison']>

export type OrderState = ReturnType<typeof createOrderState>

const _id = 'order'

/** Positions only ever advance, so a process that was frozen changes nothing when it wakes up. */
export function createOrderState(logState: Collection<LogStateDocument>) {
  const update = async (filter: object, change: object, upsert: boolean) => {
    await logState.updateOne({ _id, ...filter }, change, { upsert })
  }
  const levelWith = (position: Position) => ({ $max: { position, levelAt: timeOfPosition(position) } })
  return {
    read: () => logState.findOne({ _id }, userReads),
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
