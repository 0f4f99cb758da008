import { findByKeys, hex, readAhead, readKey, toUuidBinary, uuidIn, writeAll } from '@herald/mongo'
import { appliesTo, type ErasedPersons, type FindErased } from '@herald/persons'
import { type Binary, BSON, type Collection } from 'mongodb'
import type { ChangeEntryDocument } from '../documents/change-entry-document.ts'
import type { CausalReads } from './causal-reads.ts'
import { type RecordedLeaf, toEntryLeaf } from './entry-leaf.ts'

export type ReadLeaves = ReturnType<typeof createReadLeaves>

export type ReadLeavesDependencies = {
  readonly changeEntries: Collection<ChangeEntryDocument>
  readonly erasedPersons: ErasedPersons
  readonly reads: CausalReads
}

/** An entry by its key, or as it was just read. */
export type EntryToRead = { readonly key: Binary; readonly stored?: Buffer | undefined }

const keysPerRead = 1_000

export function createReadLeaves({ changeEntries, erasedPersons, reads }: ReadLeavesDependencies) {
  /**
   * Hashes entries as they are stored; those that are gone are left out. A process that is between the insert of an entry and its
   * look for erasures, or was killed there, leaves a user who was erased before. That look is made here too, so that every user who
   * is hashed and erased later is found by the work of that erasure.
   */
  return async (entries: readonly EntryToRead[]): Promise<Map<string, RecordedLeaf>> => {
    const leaves = new Map<string, RecordedLeaf>()
    for await (const documents of readAhead(read(entries))) {
      const found = documents.map((bytes) => BSON.deserialize(bytes) as ChangeEntryDocument)
      for (const entry of await mask(found)) leaves.set(hex(entry._id), toEntryLeaf(entry))
    }
    return leaves
  }

  async function* read(entries: readonly EntryToRead[]): AsyncGenerator<readonly Buffer[], void, void> {
    const stored = entries.flatMap((entry) => entry.stored ?? [])
    if (stored.length > 0) yield stored
    for (let left = entries.filter((entry) => !entry.stored).map(({ key }) => key); left.length > 0; ) {
      const keys = left.slice(0, keysPerRead)
      const { documents, isCut } = await findByKeys(changeEntries, { keys, after: reads.time })
      yield documents
      const last = documents.at(-1)
      const end = isCut && last ? keys.findIndex((key) => hex(key) === hex(readKey(last))) + 1 : keys.length
      left = left.slice(end)
    }
  }

  async function mask(entries: readonly ChangeEntryDocument[]): Promise<readonly ChangeEntryDocument[]> {
    const { find, isEmpty } = await erasedPersons.look(entries.map(toPerson))
    if (isEmpty) return entries
    const masked = entries.map((entry) => withoutErased(entry, find))
    const changed = masked.filter((entry, at) => entry !== entries[at])
    await writeAll(
      changeEntries,
      changed.map(({ _id, userId, userName, userEmail }) => ({
        updateOne: { filter: { _id }, update: { $set: { userId, userName, userEmail } } },
      })),
    )
    return masked
  }
}

const toPerson = ({ _id, createdAt, userId }: ChangeEntryDocument) => ({
  subscriberId: uuidIn(_id),
  createdAt,
  personIds: [uuidIn(userId)],
})

function withoutErased(entry: ChangeEntryDocument, find: FindErased): ChangeEntryDocument {
  const person = find(uuidIn(entry._id), uuidIn(entry.userId))
  if (!appliesTo(person, entry.createdAt)) return entry
  return { ...entry, userId: toUuidBinary(person.pseudonym), userName: '', userEmail: '' }
}
