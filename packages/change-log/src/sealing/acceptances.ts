import { userReads } from '@herald/mongo'
import type { Collection } from 'mongodb'
import type { AcceptanceDocument, LogStateDocument } from '../documents/log-page-document.ts'
import { logStateId, logStateIds } from '../documents/log-state-ids.ts'

/** Copies of acceptances that are published. A note counts by its signature, never because it is stored here. */
export function createAcceptances(logState: Collection<LogStateDocument>, now: () => Date) {
  const documents = logState as unknown as Collection<AcceptanceDocument>
  return {
    /** The notes of all logs. */
    async *all(): AsyncGenerator<string, void, void> {
      const found = documents.find({ _id: logStateIds('accepted'), note: { $type: 'string' } }, userReads)
      for await (const { note } of found) yield note
    },
    async find(subscriberId: string): Promise<string | undefined> {
      const found = await documents.findOne({ _id: logStateId('accepted', subscriberId) }, userReads)
      return typeof found?.note === 'string' ? found.note : undefined
    },
    async store(subscriberId: string, note: string): Promise<void> {
      const document = { v: 2 as const, note, acceptedAt: now() }
      await documents.replaceOne({ _id: logStateId('accepted', subscriberId) }, document, { upsert: true })
    },
  }
}
