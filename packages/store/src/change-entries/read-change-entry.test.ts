import { expect, test } from '@jest/globals'
import { BSON } from 'mongodb'
import { type ChangeEntryDocument, fromChangeEntryDocument, toChangeEntryDocument } from './change-entry-document.ts'
import { readChangeEntry } from './read-change-entry.ts'

const uuid = (n: number) => `0190a6e0-7c1b-7def-8abc-${n.toString(16).padStart(12, '0')}`

const document = toChangeEntryDocument({
  id: uuid(1),
  subscriberId: uuid(2),
  user: { id: uuid(3), name: 'Zoë "Z" 🔑', email: 'zoe@example.com' },
  entityType: 'data point',
  entityId: '',
  entityTitle: 'Energy \u0000 site',
  actionType: 'update',
  changedField: 'value',
  beforeState: 'null',
  afterState: '{"b":1,"a":[{"type":"x"}]}',
  createdAt: new Date(1_764_000_000_123),
})

test('reads an entry like the driver, and skips unknown fields', () => {
  const bytes = Buffer.from(BSON.serialize({ newer: { entityType: 'nested' }, ...document, newerYet: [1] }))
  const driver = fromChangeEntryDocument(BSON.deserialize(bytes) as ChangeEntryDocument)
  expect(readChangeEntry(bytes, uuid(2))).toEqual(driver)
})
