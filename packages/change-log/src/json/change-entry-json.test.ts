import { changeEntrySchema } from '@herald/contracts'
import { bytesOf, uuid } from '@herald/mongo/testing'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { anyEntry, changeEntry, documentBytes, served } from '../documents/change-entry.fixture.ts'
import { type StoredChangeEntry, toChangeEntryDocument } from '../documents/change-entry-document.ts'
import { changeEntryPageBody } from './change-entry-json.ts'

const pageOf = (entries: readonly StoredChangeEntry[], next: string | null = null) =>
  changeEntryPageBody({ documents: entries.map(documentBytes), next }).toString()
const servedPage = (entries: readonly StoredChangeEntry[], nextCursor: string | null = null) =>
  JSON.stringify({ data: { changeEntries: entries.map(served), nextCursor } })
const jsonOf = (entry: StoredChangeEntry) => JSON.parse(pageOf([entry])).data.changeEntries[0]

test('contains exactly the fields of specification 2.5, in this order', () => {
  expect(pageOf([changeEntry()])).toBe(servedPage([changeEntry()]))
})

test('has exactly the fields of the contract’s schema', () => {
  const value = jsonOf(changeEntry())
  expect(changeEntrySchema.parse(value)).toStrictEqual(value)
  expect(Object.keys(value).sort()).toEqual(Object.keys(changeEntrySchema.shape).sort())
  expect(Object.keys(value.user).sort()).toEqual(Object.keys(changeEntrySchema.shape.user.shape).sort())
})

test('writes the same bytes as JSON.stringify', () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 4 }), fc.option(fc.uuid()), (entries, next) => {
      expect(pageOf(entries, next)).toBe(servedPage(entries, next))
    }),
    { numRuns: 2_000 },
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
  const user = { id: uuid(3), name: text, email: text }
  expect(jsonOf(changeEntry({ ...texts, user }))).toMatchObject({ ...texts, user })
})

test('copies states byte for byte', () => {
  const state = '{"z":1.50,"$set":{"a.b":"\\u2028"},"":[[],{}],"constructor":-0}'
  const json = pageOf([changeEntry({ beforeState: state, afterState: state })])
  expect(json).toContain(`"beforeState":${state},"afterState":${state}}`)
})

test('writes a state of a megabyte', () => {
  const entries = [changeEntry(), changeEntry({ afterState: JSON.stringify('ä'.repeat(500_000)) }), changeEntry()]
  expect(pageOf(entries) === servedPage(entries)).toBe(true)
})

test('skips unknown fields of a newer release', () => {
  const stored = { newer: { entityType: 'nested' }, ...toChangeEntryDocument(changeEntry()), newerYet: [1] }
  expect(changeEntryPageBody({ documents: [bytesOf(stored)], next: null }).toString()).toBe(servedPage([changeEntry()]))
})
