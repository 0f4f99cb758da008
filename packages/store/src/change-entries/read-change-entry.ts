import { bytesToUuid } from '@herald/contracts'
import { createDocumentReader, readDate, readText, startOfBinary } from '../wire/document-reader.ts'
import type { StoredChangeEntry } from './change-entry-document.ts'

type Target = {
  -readonly [K in keyof StoredChangeEntry]: K extends 'user'
    ? { -readonly [U in keyof StoredChangeEntry['user']]: string }
    : StoredChangeEntry[K]
}

/** A text field with the same name in document and entry. */
const text = (field: Exclude<keyof Target, 'user' | 'createdAt'>) => (target: Target, bytes: Buffer, at: number) => {
  target[field] = readText(bytes, at)
}

const read = createDocumentReader<Target>({
  _id: (target, bytes, at) => {
    target.id = bytesToUuid(bytes, startOfBinary(at) + 16)
  },
  createdAt: (target, bytes, at) => {
    target.createdAt = readDate(bytes, at)
  },
  userId: (target, bytes, at) => {
    target.user.id = bytesToUuid(bytes, startOfBinary(at))
  },
  userName: (target, bytes, at) => {
    target.user.name = readText(bytes, at)
  },
  userEmail: (target, bytes, at) => {
    target.user.email = readText(bytes, at)
  },
  entityType: text('entityType'),
  entityId: text('entityId'),
  entityTitle: text('entityTitle'),
  actionType: text('actionType'),
  changedField: text('changedField'),
  beforeState: text('beforeState'),
  afterState: text('afterState'),
})

/** Reads a change entry from the bytes of its document, with the same result as `fromChangeEntryDocument`. */
export function readChangeEntry(bytes: Buffer, subscriberId: string): StoredChangeEntry {
  return read(bytes, {
    id: '',
    subscriberId,
    user: { id: '', name: '', email: '' },
    entityType: '',
    entityId: '',
    entityTitle: '',
    actionType: '',
    changedField: '',
    beforeState: 'null',
    afterState: 'null',
    createdAt: undefined as unknown as Date,
  })
}
