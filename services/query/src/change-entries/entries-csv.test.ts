import { formatTimestamp } from '@herald/contracts'
import type { StoredChangeEntry } from '@herald/store'
import { describe, expect, test } from '@jest/globals'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { changeEntriesCsv, csvHeader } from './entries-csv.ts'
import { anyEntry, documentOf } from './entry.fixture.ts'

const cellsOf = ({ id, user, createdAt, ...entry }: StoredChangeEntry) => [
  ...[id, user.id, user.name, user.email, entry.entityType, entry.entityId, entry.entityTitle, entry.actionType],
  ...[entry.changedField, formatTimestamp(createdAt), entry.beforeState, entry.afterState],
]

/** As a library says it, which puts a lone line feed into quotes only when it is told to. */
const csvOf = (rows: readonly (readonly string[])[]) =>
  stringify(
    rows.map((row) => [...row]),
    { record_delimiter: '\r\n', escape_formulas: true, quoted_match: /[\r\n]/ },
  )

const [sample] = fc.sample(anyEntry, { numRuns: 1, seed: 1 }) as [StoredChangeEntry]
const titled = (entityTitle: string) =>
  documentOf({ ...sample, entityType: 'a', entityId: 'b', entityTitle, actionType: 'c' })

test('entries from bytes are what a library makes of them, byte for byte', () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 4 }), (entries) => {
      expect(changeEntriesCsv(entries.map(documentOf)).toString()).toBe(csvOf(entries.map(cellsOf)))
    }),
    { numRuns: 2_000 },
  )
})

test('no entries are no lines, and the header is one', () => {
  expect(changeEntriesCsv([]).toString()).toBe('')
  expect(csvHeader).toBe(
    'id,userId,userName,userEmail,entityType,entityId,entityTitle,actionType,changedField,createdAt,beforeState,afterState\r\n',
  )
})

describe('a title', () => {
  test.each([
    ['of one word', 'Title', 'Title'],
    ['of none', '', ''],
    ['with a comma', 'a, b', '"a, b"'],
    ['with quotes', '"a"', '"""a"""'],
    ['of two lines', 'a\nb', '"a\nb"'],
    ['of two lines as Windows has them', 'a\r\nb', '"a\r\nb"'],
    ['with a return alone', 'a\rb', '"a\rb"'],
    ['that is a formula', '=1+1', "'=1+1"],
    ['that is a formula with a comma', '+SUM(A1,B1)', `"'+SUM(A1,B1)"`],
    ['that begins with a minus', '-1', "'-1"],
    ['that begins with an at', '@x', "'@x"],
    ['that begins with a tab', '\tx', "'\tx"],
    ['that begins with a wide sign of equality', '\uff1dx', "'\uff1dx"],
    ['that begins with another wide letter', '\uff21x', '\uff21x'],
  ])('%s', (_, title, cell) => {
    expect(changeEntriesCsv([titled(title)]).toString()).toContain(`,a,b,${cell},c,`)
  })
})

test('a state of a megabyte of quotes finds room', () => {
  const large = { ...sample, afterState: JSON.stringify('"'.repeat(500_000)) }
  expect(changeEntriesCsv([sample, large, sample].map(documentOf)).toString()).toBe(
    csvOf([sample, large, sample].map(cellsOf)),
  )
})
