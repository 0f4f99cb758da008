import { type Binary, BSON, type Collection } from 'mongodb'
import { hex, toUuidBinary, uuidIn } from '../documents/binary.ts'
import type { ChangeEntryDocument } from '../documents/change-entry-document.ts'
import { appliesTo, type FindErased } from '../documents/mask.ts'
import type { ErasedPersons } from '../guards/erased-persons.ts'
import { findByKeys } from '../reading/find-by-keys.ts'
import { writeAll } from '../writing/write-each.ts'
import type { CausalReads } from './causal-reads.ts'
import { type EntryLeaf, toEntryLeaf } from './entry-leaf.ts'

export type ReadLeaves = ReturnType<typeof createReadLeaves>

export type ReadLeavesDependencies = {
  readonly changeEntries: Collection<ChangeEntryDocument>
  readonly erasedPersons: ErasedPersons
  readonly reads: CausalReads
}

const keysPerRead = 1_000

export function createReadLeaves({ changeEntries, erasedPersons, reads }: ReadLeavesDependencies) {
  /**
   * Reads entries and hashes them as they are stored, by their keys; those that are gone are left out. A process that is between
   * the insert of an entry and its look for erasures, or was killed there, leaves a user who was erased before. That look is made
   * here too, so that every user who is hashed and erased later is found by the work of that erasure.
   */
  return async (keys: readonly Binary[]): Promise<Map<string, EntryLeaf>> => {
    const leaves = new Map<string, EntryLeaf>()
    for (let left = keys; left.length > 0; ) {
      const asked = left.slice(0, keysPerRead)
      const { documents, isCut } = await findByKeys(changeEntries, { keys: asked, after: reads.time })
      const entries = documents.map((bytes) => BSON.deserialize(bytes) as ChangeEntryDocument)
      for (const entry of await mask(entries)) leaves.set(hex(entry._id), toEntryLeaf(entry))
      const last = entries.at(-1)
      const end = isCut && last ? asked.findIndex((key) => hex(key) === hex(last._id)) + 1 : asked.length
      left = left.slice(end)
    }
    return leaves
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
