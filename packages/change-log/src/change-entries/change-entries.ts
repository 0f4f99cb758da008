import { type ChangeEntryFilters, limits } from '@herald/contracts'
import {
  findPage,
  type IdRange,
  type InsertOutcome,
  insertNew,
  keyRange,
  type ReadBudgets,
  type Scan,
  toUuidBinary,
  writeEach,
} from '@herald/mongo'
import { appliesTo, type ErasedLook, type ErasedPersons, type FindErased } from '@herald/persons'
import type { Collection } from 'mongodb'
import {
  type ChangeEntryDocument,
  type StoredChangeEntry,
  toChangeEntryDocument,
} from '../documents/change-entry-document.ts'
import { changeEntryPageBody } from '../json/change-entry-json.ts'
import { type ExportFormat, encodeExport } from './export.ts'
import { readLog } from './read-log.ts'

export type ChangeLogQuery = IdRange & Omit<ChangeEntryFilters, keyof IdRange>

export type ChangeEntries = ReturnType<typeof createChangeEntries>
export type ChangeLog = ReturnType<ChangeEntries['of']>

export type ChangeEntriesDependencies = {
  readonly collection: Collection<ChangeEntryDocument>
  readonly budgets: ReadBudgets
  readonly erasedPersons: ErasedPersons
}

/** An entry comes from an event of at most 1 MiB, and its ids are shorter as bytes. */
const maxEntryBytes = limits.eventBytes

export function createChangeEntries(dependencies: ChangeEntriesDependencies) {
  const { collection, budgets, erasedPersons } = dependencies
  return {
    async insertNew(entries: readonly StoredChangeEntry[]): Promise<InsertOutcome<StoredChangeEntry>> {
      const users = entries.map(toUser)
      const erased = await erasedPersons.look(users)
      const masked = erased.isEmpty ? entries : entries.map((entry) => maskChangeEntry(entry, erased.find))
      const documents = masked.map(toChangeEntryDocument)
      const { refused, ...counts } = await insertNew(collection, documents)
      // Entries known before are masked, too: an earlier attempt may have stored the entry before its user was erased.
      const notErased = await eraseUsers(collection, entries, await erasedPersons.look(users, { earlier: erased }))
      const entryOf = (document: ChangeEntryDocument) => entries[documents.indexOf(document)] as StoredChangeEntry
      const reasons = new Map(refused.map(({ document, reason }) => [entryOf(document), reason]))
      for (const [entry, reason] of notErased) reasons.set(entry, reason)
      return { ...counts, refused: [...reasons].map(([document, reason]) => ({ document, reason })) }
    },
    /** @param userId the user who reads */
    of: (subscriberId: string, userId = '') => {
      const pages = { collection, budgets, reader: { subscriberId, userId }, maxDocumentBytes: maxEntryBytes }
      return {
        /** A page as the body of its response, in JSON. It may be short and still have a next one: see {@link findPage}. */
        list: async (query: ChangeLogQuery, limit: number) =>
          changeEntryPageBody(await findPage(pages, toScan(subscriberId, query), limit)),
        /**
         * Every matching entry, as pieces of the body of a response. Entries recorded meanwhile are not included. If a step
         * of at most `step` entries cannot be read, it throws without the end of the document.
         */
        export: (query: ChangeLogQuery, format: ExportFormat, step?: number) =>
          encodeExport(format, readLog({ ...pages, step }, toScan(subscriberId, query))),
      }
    },
  }
}

function toScan(subscriberId: string, query: ChangeLogQuery): Scan<ChangeEntryDocument> {
  const { entityId, userId, entityType, actionType, changedField } = query
  const range = { _id: keyRange([subscriberId], query) }
  const entity = entityId === undefined ? {} : { entityId }
  const user = userId === undefined ? {} : { userId: toUuidBinary(userId) }
  const filter = {
    // The index by entity is more selective than the one by user.
    ...(entityId === undefined ? {} : user),
    ...(entityType === undefined ? {} : { entityType }),
    ...(actionType === undefined ? {} : { actionType }),
    ...(changedField === undefined ? {} : { changedField }),
  }
  return { indexed: { ...range, ...(entityId === undefined ? user : entity) }, filter }
}

const toUser = ({ subscriberId, createdAt, user }: StoredChangeEntry) => ({
  subscriberId,
  createdAt,
  personIds: [user.id],
})

/** @returns the entries that MongoDB refused to change, with the reason */
async function eraseUsers(
  collection: ChangeEntriesDependencies['collection'],
  entries: readonly StoredChangeEntry[],
  { find, isEmpty }: ErasedLook,
): Promise<(readonly [StoredChangeEntry, string])[]> {
  if (isEmpty) return []
  const concerned = entries.filter((entry) => maskChangeEntry(entry, find) !== entry)
  const updates = concerned.map((entry) => {
    const { _id, userId, userName, userEmail } = toChangeEntryDocument(maskChangeEntry(entry, find))
    return { updateOne: { filter: { _id }, update: { $set: { userId, userName, userEmail } } } }
  })
  const { refused } = await writeEach(collection, updates)
  return refused.map(({ document, reason }) => [concerned[updates.indexOf(document)] as StoredChangeEntry, reason])
}

/** A change entry without its user, if they were erased; otherwise the same object. */
function maskChangeEntry(entry: StoredChangeEntry, find: FindErased): StoredChangeEntry {
  const person = find(entry.subscriberId, entry.user.id)
  if (!appliesTo(person, entry.createdAt)) return entry
  return { ...entry, user: { id: person.pseudonym, name: '', email: '' } }
}
