import { uuidToBytes } from '@herald/contracts'
import type { StoredChangeEntry } from '@herald/store'
import fc from 'fast-check'
import { Binary, BSON } from 'mongodb'

/** The bytes of a change entry's document. */
export function documentOf(entry: StoredChangeEntry): Buffer {
  const { id, subscriberId, user, ...rest } = entry
  const _id = new Binary(Buffer.concat([subscriberId, id].map(uuidToBytes)))
  const userId = new Binary(uuidToBytes(user.id), 4)
  return Buffer.from(BSON.serialize({ _id, v: 1, userId, userName: user.name, userEmail: user.email, ...rest }))
}

/** Text that survives UTF-8: without lone surrogates. */
const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary-ascii' }))

export const anyEntry: fc.Arbitrary<StoredChangeEntry> = fc.record({
  id: fc.uuid(),
  subscriberId: fc.uuid(),
  user: fc.record({ id: fc.uuid(), name: text, email: text }),
  entityType: text,
  entityId: text,
  entityTitle: text,
  actionType: text,
  changedField: text,
  beforeState: fc.json(),
  afterState: fc.json(),
  createdAt: fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true }),
})
