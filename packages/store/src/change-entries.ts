import { setImmediate } from 'node:timers/promises'
import { limits } from '@herald/contracts'
import { toUuidBinary } from './binary.ts'
import {
  type ChangeEntryDocument,
  fromChangeEntryDocument,
  type StoredChangeEntry,
  toChangeEntryDocument,
} from './change-entry-document.ts'
import type { Source } from './find-bytes.ts'
import { type IdRange, keyRange } from './id-range.ts'
import { type InsertOutcome, insertNew } from './insert-new.ts'
import { readChangeEntry } from './read-change-entry.ts'
import { beyond, bytesReading, findAmongNext, findPage, type Wanted } from './walk.ts'

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
   * An entry is the bytes of its document, for who writes it on: see {@link changeEntryPlaces}.
   */
  allBytes(query: ChangeLogQuery, step?: number): AsyncGenerator<readonly Buffer[], void, void>
  /** A page whose filters no index serves looks at 10,000 at most: it may be short and still have a next one. */
  list(query: ChangeLogQuery, limit: number): Promise<ChangeLogPage>
}

export type ChangeEntries = {
  /** See {@link insertNew}. */
  insertNew(entries: readonly StoredChangeEntry[]): Promise<InsertOutcome<StoredChangeEntry>>
  of(subscriberId: string): ChangeLog
}

export function createChangeEntries(source: Source<ChangeEntryDocument>): ChangeEntries {
  return {
    async insertNew(entries) {
      const documents = entries.map(toChangeEntryDocument)
      const { refused, ...counts } = await insertNew(source.collection, documents)
      const entryOf = (document: ChangeEntryDocument) => entries[documents.indexOf(document)] as StoredChangeEntry
      return { ...counts, refused: refused.map(({ document, reason }) => ({ document: entryOf(document), reason })) }
    },
    of(subscriberId) {
      const reading = {
        fromBytes: (bytes: Buffer) => readChangeEntry(bytes, subscriberId),
        fromDocument: fromChangeEntryDocument,
        idOf: ({ id }: StoredChangeEntry) => id,
      }
      return {
        allBytes: (query, step) => readAll(source, toWanted(subscriberId, query), step),
        async list(query, limit) {
          const { page, next } = await findPage(source, toWanted(subscriberId, query), limit, reading)
          return { entries: page, next }
        },
      }
    },
  }
}

/** One step ahead, so that MongoDB and the reader do not wait for each other. */
async function* readAll(
  source: Source<ChangeEntryDocument>,
  wanted: Wanted<ChangeEntryDocument>,
  step: number = limits.examinedPerStep,
): AsyncGenerator<readonly Buffer[], void, void> {
  const reading = bytesReading<ChangeEntryDocument>()
  const ask = (next: Wanted<ChangeEntryDocument>) => {
    const asked = findAmongNext(source, next, step, reading)
    // It may fail while the reader is still busy with the step before; it is told when he comes for it.
    asked.catch(() => {})
    return asked
  }
  for (let asked = ask(wanted); ; ) {
    const { found, end } = await asked
    if (end !== null) {
      asked = ask(beyond(wanted, end))
      // The driver sends with the next turn of the event loop, and who gets a step may keep the thread to himself.
      await setImmediate()
    }
    if (found.length > 0) yield found
    if (end === null) return
  }
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
