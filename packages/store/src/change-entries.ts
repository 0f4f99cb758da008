import { limits } from '@herald/contracts'
import type { Collection } from 'mongodb'
import { toUuidBinary } from './binary.ts'
import {
  type ChangeEntryDocument,
  fromChangeEntryDocument,
  idIn,
  type StoredChangeEntry,
  toChangeEntryDocument,
} from './change-entry-document.ts'
import { type IdRange, keyRange } from './id-range.ts'
import { type InsertOutcome, insertNew } from './insert-new.ts'
import { readChangeEntry } from './read-change-entry.ts'
import { findAmongNext, findPage, findPlain, type Stretch, type Wanted } from './walk.ts'

/** What is wanted of a change log, newest first. */
export type ChangeLogQuery = IdRange & {
  readonly entityType?: string | undefined
  readonly entityId?: string | undefined
  readonly userId?: string | undefined
  readonly actionType?: string | undefined
  readonly changedField?: string | undefined
}

/** `next` is the id from which an older page goes on; `null` when nothing follows. */
export type ChangeLogPage = { readonly entries: readonly StoredChangeEntry[]; readonly next: string | null }

/** The change log of one subscriber. */
export type ChangeLog = {
  /**
   * Everything that is wanted, in steps that look at no more than `step` entries. Each step is a query of its own, so that
   * a reader who takes his time holds no cursor open, and what is recorded meanwhile is newer than where the reading is.
   */
  all(query: ChangeLogQuery, step?: number): AsyncGenerator<readonly StoredChangeEntry[], void, void>
  /** A page whose filters no index serves looks at 10,000 at most: it may be short and still have a next one. */
  list(query: ChangeLogQuery, limit: number): Promise<ChangeLogPage>
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
      async *all(query, step = limits.examinedPerStep) {
        const wanted = toWanted(subscriberId, query)
        const next = (indexed: typeof wanted.indexed) => {
          const reading = findEntries(collection, subscriberId, { ...wanted, indexed }, step)
          // It may fail while the reader is still busy with the step before; it is told when he comes for it.
          reading.catch(() => {})
          return reading
        }
        // One step ahead, so that MongoDB and the reader do not wait for each other.
        for (let reading = next(wanted.indexed); ; ) {
          const { found, end } = await reading
          if (end !== null) reading = next({ ...wanted.indexed, _id: { $gte: wanted.indexed._id.$gte, $lt: end } })
          if (found.length > 0) yield found
          if (end === null) return
        }
      },
      async list(query, limit) {
        const { page, next } = await findPage(collection, toWanted(subscriberId, query), limit)
        return { entries: page.map(fromChangeEntryDocument), next: next && idIn(next) }
      },
    }),
  }
}

/** The next entries that are wanted, of those that are indexed. */
async function findEntries(
  collection: Collection<ChangeEntryDocument>,
  subscriberId: string,
  wanted: Wanted<ChangeEntryDocument>,
  size: number,
): Promise<Stretch<StoredChangeEntry>> {
  if (Object.keys(wanted.filter).length === 0) {
    return findPlain(collection, wanted.indexed, size, (bytes) => readChangeEntry(bytes, subscriberId))
  }
  const { found, end } = await findAmongNext(collection, wanted, size)
  return { found: found.map(fromChangeEntryDocument), end }
}

/** One entity's and one user's entries are ranges of an index; every other filter is asked of each entry. */
function toWanted(subscriberId: string, query: ChangeLogQuery): Wanted<ChangeEntryDocument> {
  const { entityId, userId, entityType, actionType, changedField } = query
  const range = { _id: keyRange([subscriberId], query) }
  const entity = entityId === undefined ? {} : { entityId }
  const user = userId === undefined ? {} : { userId: toUuidBinary(userId) }
  const filter = {
    // Of the two indexes the entity's narrows further.
    ...(entityId === undefined ? {} : user),
    ...(entityType === undefined ? {} : { entityType }),
    ...(actionType === undefined ? {} : { actionType }),
    ...(changedField === undefined ? {} : { changedField }),
  }
  return { indexed: { ...range, ...(entityId === undefined ? user : entity) }, filter }
}
