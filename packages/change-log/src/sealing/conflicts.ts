import { readLimits, userReads } from '@herald/mongo'
import type { Collection } from 'mongodb'
import type { ConflictDocument, LogStateDocument } from '../documents/log-page-document.ts'
import { logStateId, logStateIds, subscriberIn } from '../documents/log-state-ids.ts'

export type Conflicts = ReturnType<typeof createConflicts>

/** The logs that are sealed no further until an operator has decided. */
export function createConflicts(logState: Collection<LogStateDocument>, now: () => Date) {
  const documents = logState as unknown as Collection<ConflictDocument>
  const all = { _id: logStateIds('conflict') }
  return {
    async list(): Promise<string[]> {
      const found = await documents.find(all, { ...userReads, projection: { _id: 1 } }).toArray()
      return found.map(({ _id }) => subscriberIn(_id))
    },
    async find(subscriberId: string): Promise<{ readonly reason: string; readonly foundAt: Date } | undefined> {
      return (await documents.findOne({ _id: logStateId('conflict', subscriberId) }, userReads)) ?? undefined
    },
    /** The last ones that were found. */
    async newest(limit: number): Promise<string[]> {
      const options = { ...userReads, projection: { _id: 1 }, sort: { foundAt: -1 }, limit } as const
      return (await documents.find(all, options).toArray()).map(({ _id }) => subscriberIn(_id))
    },
    count: () => documents.countDocuments(all, userReads),
    /** The first reason remains. */
    async store(subscriberId: string, reason: string): Promise<void> {
      const first = { $setOnInsert: { v: 1 as const, reason, foundAt: now() } }
      await documents.updateOne({ _id: logStateId('conflict', subscriberId) }, first, { upsert: true })
    },
    async remove(subscriberId: string): Promise<void> {
      await documents.deleteOne({ _id: logStateId('conflict', subscriberId) })
    },
    /** Afterwards, the primary knows everything that a majority had: a new one may not know it at first. */
    async waitForMajority(): Promise<void> {
      await logState.findOne({ _id: 'order' }, { ...readLimits, readConcern: { level: 'linearizable' } })
    },
  }
}
