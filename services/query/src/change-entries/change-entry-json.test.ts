import { changeEntrySchema } from '@herald/contracts'
import type { StoredChangeEntry } from '@herald/store'
import { expect, test } from '@jest/globals'
import { changeEntryJson } from './change-entry-json.ts'

const uuid = (n: number) => `0190a6e0-7c1b-7def-8abc-${n.toString(16).padStart(12, '0')}`

const stored = (changes: Partial<StoredChangeEntry> = {}): StoredChangeEntry => ({
  id: uuid(1),
  subscriberId: uuid(2),
  user: { id: uuid(3), name: 'Ada', email: 'ada@example.com' },
  entityType: 'portfolio',
  entityId: 'p-1',
  entityTitle: 'Portfolio',
  actionType: 'update',
  changedField: 'name',
  beforeState: 'null',
  afterState: '{"b":1,"a":[true]}',
  createdAt: new Date('2026-01-31T09:30:59.999Z'),
  ...changes,
})

test('contains exactly the fields of specification 2.5, in this order', () => {
  expect(changeEntryJson(stored())).toBe(
    JSON.stringify({
      id: uuid(1),
      user: { id: uuid(3), name: 'Ada', email: 'ada@example.com' },
      entityType: 'portfolio',
      entityId: 'p-1',
      entityTitle: 'Portfolio',
      actionType: 'update',
      changedField: 'name',
      createdAt: '2026-01-31T09:30:59Z',
      beforeState: null,
      afterState: { b: 1, a: [true] },
    }),
  )
})

test.each([
  ['quotes', '"afterState":null,"'],
  ['backslashes', '\\"\\u0022\\'],
  ['control characters', '\u0000\b\t\n\r\u001f\u007f'],
  ['line separators', '\u2028\u2029'],
  ['emoji', '👩‍👩‍👧 𝄞'],
  ['an empty text', ''],
])('preserves %s in every text', (_, text) => {
  const texts = { entityType: text, entityId: text, entityTitle: text, actionType: text, changedField: text }
  const json = changeEntryJson(stored({ ...texts, user: { id: uuid(3), name: text, email: text } }))
  expect(JSON.parse(json)).toMatchObject({ ...texts, user: { id: uuid(3), name: text, email: text } })
})

test('copies states byte for byte', () => {
  const state = '{"z":1.50,"$set":{"a.b":"\\u2028"},"":[[],{}],"constructor":-0}'
  const json = changeEntryJson(stored({ beforeState: state, afterState: state }))
  expect(json).toContain(`"beforeState":${state},"afterState":${state}}`)
})

test('has exactly the fields of the contract’s schema', () => {
  const value = JSON.parse(changeEntryJson(stored()))
  expect(changeEntrySchema.parse(value)).toStrictEqual(value)
  expect(Object.keys(value).sort()).toEqual(Object.keys(changeEntrySchema.shape).sort())
  expect(Object.keys(value.user).sort()).toEqual(Object.keys(changeEntrySchema.shape.user.shape).sort())
})
