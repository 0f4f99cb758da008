import type { Collection } from 'mongodb'
import {
  type ChangeEntryDocument,
  fromChangeEntryDocument,
  type StoredChangeEntry,
  toChangeEntryDocument,
} from './change-entry-document.ts'
import { keyRange } from './id-range.ts'
import { type InsertOutcome, insertNew } from './insert-new.ts'
import { readLimits } from './read-limits.ts'

/** The change log of one subscriber. */
export type ChangeLog = {
  /**
   * Every entry, newest first, in steps of at most `step`. Each step is a query of its own, so that a reader who takes his
   * time holds no cursor open, and what is recorded meanwhile is newer than where the reading has come to.
   */
  all(step?: number): AsyncGenerator<readonly StoredChangeEntry[], void, void>
}

export type ChangeEntries = {
  /** See {@link insertNew}. */
  insertNew(entries: readonly StoredChangeEntry[]): Promise<InsertOutcome<StoredChangeEntry>>
  of(subscriberId: string): ChangeLog
}

export function createChangeEntries(collection: Collection<ChangeEntryDocument>): ChangeEntries {
  return {
    async insertNew(entries) {
      const documents = entries.map(toChangeEntryDocument)
      const origins = new Map(documents.map((document, index) => [document, entries[index] as StoredChangeEntry]))
      const { refused, ...counts } = await insertNew(collection, documents)
      return {
        ...counts,
        refused: refused.map(({ document, reason }) => ({
          document: origins.get(document) as StoredChangeEntry,
          reason,
        })),
      }
    },
    of: (subscriberId) => ({
      async *all(step = 1_000) {
        let before: string | undefined
        for (;;) {
          const range = { _id: keyRange([subscriberId], { before }) }
          const documents = await collection.find(range, readLimits).sort({ _id: -1 }).limit(step).toArray()
          const entries = documents.map(fromChangeEntryDocument)
          if (entries.length > 0) yield entries
          if (entries.length < step) return
          before = entries.at(-1)?.id
        }
      },
    }),
  }
}
