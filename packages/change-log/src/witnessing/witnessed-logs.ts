import { userReads } from '@herald/mongo'
import type { Collection } from 'mongodb'
import type { LogStateDocument, WitnessedBy, WitnessedDocument } from '../documents/log-page-document.ts'
import { logStateId } from '../documents/log-state-ids.ts'

/** Keeps the size up to which each witness knows each log, for operators and for the next request. Witnesses do not rely on it. */
export function createWitnessedLogs(logState: Collection<LogStateDocument>) {
  const documents = logState as unknown as Collection<WitnessedDocument>
  return {
    async find(subscriberId: string): Promise<readonly WitnessedBy[]> {
      const found = await documents.findOne({ _id: logStateId('witnessed', subscriberId) }, userReads)
      return found?.witnesses ?? []
    },
    async store(subscriberId: string, known: WitnessedBy): Promise<void> {
      const isOther = { $ne: ['$$this.witness', { $literal: known.witness }] }
      const others = { $filter: { input: { $ifNull: ['$witnesses', []] }, cond: isOther } }
      const witnesses = { $concatArrays: [others, { $literal: [known] }] }
      const _id = logStateId('witnessed', subscriberId)
      await documents.updateOne({ _id }, [{ $set: { v: { $literal: 1 }, witnesses } }], { upsert: true })
    },
  }
}
