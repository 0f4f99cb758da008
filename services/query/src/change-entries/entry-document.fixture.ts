import { uuidToBytes } from '@herald/contracts'
import type { StoredChangeEntry } from '@herald/store'
import { Binary, BSON } from 'mongodb'

/** The bytes of the document of a change entry. */
export function documentOf(entry: StoredChangeEntry): Buffer {
  const { id, subscriberId, user, ...rest } = entry
  const _id = new Binary(Buffer.concat([subscriberId, id].map(uuidToBytes)))
  const userId = new Binary(uuidToBytes(user.id), 4)
  return Buffer.from(BSON.serialize({ _id, v: 1, userId, userName: user.name, userEmail: user.email, ...rest }))
}
