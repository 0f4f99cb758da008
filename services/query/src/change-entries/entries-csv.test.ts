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

/** As a library writes them, which puts lone line feeds and semicolons into quotes only when it is told to. */
const csvOf = (rows: readonly (readonly string[])[]) =>
  stringify(
    rows.map((row) => row.map(harmless)),
    { record_delimiter: '\r\n', quoted_match: /[\r\n;]/ },
  )

const formula = '[=+\\-@\\uff1d\\uff0b\\uff0d\\uff20]'
const isState = (column: number) => column >= 10

/** The cell with an apostrophe, or in JSON an escape, wherever a spreadsheet may take it for a formula. */
function harmless(cell: string, column: number): string {
  const start = cell.replace(new RegExp(`^(?=[\\t\\r\\n\\ufeff]|${formula})`), "'")
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
  if (isState(column)) return start.replaceAll(new RegExp(`;(${formula})`, 'g'), (_, sign) => `;${escaped(sign)}`)
  return start.replaceAll(new RegExp(`(?<=[;\\r\\n])(?=[\\t\\ufeff]*${formula})`, 'g'), "'")
}

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
    ['that is a formula behind a semicolon', "x;=cmd|' /C calc'!A0", `"x;'=cmd|' /C calc'!A0"`],
    ['with a semicolon', 'a;b', '"a;b"'],
    ['that is a formula behind a line feed', 'x\n=1+1', `"x\n'=1+1"`],
    ['that begins with a line feed and a formula', '\n=1+1', `"'\n'=1+1"`],
    ['that begins with a byte order mark and a formula', '\ufeff=1+1', `'\ufeff=1+1`],
    ['that is a wide formula behind a semicolon', 'x;\uff1d1', `"x;'\uff1d1"`],
    ['that begins with a tab', '\tx', "'\tx"],
    ['that begins with a wide sign of equality', '\uff1dx', "'\uff1dx"],
    ['that begins with another wide letter', '\uff21x', '\uff21x'],
  ])('%s', (_, title, cell) => {
    expect(changeEntriesCsv([titled(title)]).toString()).toContain(`,a,b,${cell},c,`)
  })
})

test('a state with a formula behind a semicolon stays the same JSON', () => {
  const state = { text: 'x;=cmd', wide: ';\uff0b1', plain: 'a; b', number: -1 }
  const csv = changeEntriesCsv([documentOf({ ...sample, afterState: JSON.stringify(state) })]).toString()
  expect(csv).toMatch(/x;\\u003dcmd/)
  const [, cell = ''] = /"((?:[^"]|"")*)"\r\n$/.exec(csv) ?? []
  expect(JSON.parse(cell.replaceAll('""', '"'))).toEqual(state)
})

test('a state of a megabyte of quotes finds room', () => {
  const large = { ...sample, afterState: JSON.stringify('"'.repeat(500_000)) }
  expect(changeEntriesCsv([sample, large, sample].map(documentOf)).toString()).toBe(
    csvOf([sample, large, sample].map(cellsOf)),
  )
})
