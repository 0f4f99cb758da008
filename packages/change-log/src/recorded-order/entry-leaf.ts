import { formatTimestamp } from '@herald/contracts'
import { toUuidBinary, uuidIn } from '@herald/mongo'
import { drawSalt, entryLeafData, hashLeaf, hashUser } from '@herald/sealed-log'
import { Binary } from 'mongodb'
import type { ChangeEntryDocument } from '../documents/change-entry-document.ts'
import type { EntryPage } from '../documents/log-page-document.ts'

/** The fields of an entry in a page. */
export type RecordedLeaf = {
  readonly id: Binary
  readonly salt: Buffer
  readonly userSalt: Buffer
  readonly userHash: Buffer
  readonly leafHash: Buffer
}

type WithUser = Pick<ChangeEntryDocument, 'userId' | 'userName' | 'userEmail'>

/** A user as in responses. */
export const userOf = ({ userId, userName, userEmail }: WithUser) => ({
  id: uuidIn(userId),
  name: userName,
  email: userEmail,
})

/** The data of an entry's leaf, as the entry is stored. */
export function leafDataOf(
  document: Omit<ChangeEntryDocument, keyof WithUser>,
  hashes: { readonly salt: Uint8Array; readonly userHash: Uint8Array },
): Buffer {
  const { entityType, entityId, entityTitle, actionType, changedField } = document
  const entry = {
    ...{ id: uuidIn(document._id, 1), entityType, entityId, entityTitle, actionType, changedField },
    createdAt: formatTimestamp(document.createdAt),
    beforeState: JSON.parse(document.beforeState),
    afterState: JSON.parse(document.afterState),
  }
  return entryLeafData({ ...hashes, entry })
}

/** Draws the salts of an entry and hashes it as it is stored. */
export function toEntryLeaf(document: ChangeEntryDocument): RecordedLeaf {
  const salt = drawSalt()
  const userSalt = drawSalt()
  const userHash = hashUser(userSalt, userOf(document))
  const leafHash = hashLeaf(leafDataOf(document, { salt, userHash }))
  return { id: toUuidBinary(uuidIn(document._id, 1)), salt, userSalt, userHash, leafHash }
}

/** The fields of a page that have a value for each of its entries. */
export function fieldsOf(
  leaves: readonly RecordedLeaf[],
): Pick<EntryPage, 'ids' | 'salts' | 'userSalts' | 'userHashes' | 'leafHashes'> {
  const join = (field: Exclude<keyof RecordedLeaf, 'id'>) =>
    new Binary(Buffer.concat(leaves.map((leaf) => leaf[field])))
  return {
    ids: leaves.map(({ id }) => id),
    salts: join('salt'),
    userSalts: join('userSalt'),
    userHashes: join('userHash'),
    leafHashes: join('leafHash'),
  }
}
