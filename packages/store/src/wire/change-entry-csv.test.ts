import { formatTimestamp } from '@herald/contracts'
import { encodeDocuments } from '@herald/mongo'
import { describe, expect, test } from '@jest/globals'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { anyEntry, changeEntry, documentBytes } from '../documents/change-entry.fixture.ts'
import type { StoredChangeEntry } from '../documents/change-entry-document.ts'
import { csvHeader, writeCsvLine } from './change-entry-csv.ts'

const cellsOf = ({ id, user, createdAt, ...entry }: StoredChangeEntry) => [
  ...[id, user.id, user.name, user.email, entry.entityType, entry.entityId, entry.entityTitle, entry.actionType],
  ...[entry.changedField, formatTimestamp(createdAt), entry.beforeState, entry.afterState],
]

/** The output of a library, which quotes lone line feeds and semicolons only when configured. */
const csvOf = (rows: readonly (readonly string[])[]) =>
  stringify(
    rows.map((row) => row.map(harmless)),
    { record_delimiter: '\r\n', quoted_match: /[\r\n;]/ },
  )

const formula = '[=+\\-@\\uff1d\\uff0b\\uff0d\\uff20]'
const isState = (column: number) => column >= 10

/** Adds an apostrophe, or in JSON an escape, wherever a spreadsheet may interpret text as a formula. */
function harmless(cell: string, column: number): string {
  const start = cell.replace(new RegExp(`^(?=[\\t\\r\\n\\ufeff]|${formula})`), "'")
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
  if (isState(column)) return start.replaceAll(new RegExp(`;(${formula})`, 'g'), (_, sign) => `;${escaped(sign)}`)
  return start.replaceAll(new RegExp(`(?<=[;\\r\\n])(?=[\\t\\ufeff]*${formula})`, 'g'), "'")
}

const linesOf = (entries: readonly StoredChangeEntry[]) =>
  encodeDocuments(entries.map(documentBytes), writeCsvLine).toString()

test('writes the same bytes as a library', () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 4 }), (entries) => {
      expect(linesOf(entries)).toBe(csvOf(entries.map(cellsOf)))
    }),
    { numRuns: 2_000 },
  )
})

test('writes no lines without entries, and a header of one line', () => {
  expect(linesOf([])).toBe('')
  expect(encodeDocuments([], writeCsvLine, { opening: csvHeader }).toString()).toBe(
    'id,userId,userName,userEmail,entityType,entityId,entityTitle,actionType,changedField,createdAt,beforeState,afterState\r\n',
  )
})

describe('a title', () => {
  test.each([
    ['of one word', 'Title', 'Title'],
    ['that is empty', '', ''],
    ['with a comma', 'a, b', '"a, b"'],
    ['with quotes', '"a"', '"""a"""'],
    ['of two lines', 'a\nb', '"a\nb"'],
    ['of two lines with CRLF', 'a\r\nb', '"a\r\nb"'],
    ['with a lone carriage return', 'a\rb', '"a\rb"'],
    ['that is a formula', '=1+1', "'=1+1"],
    ['that is a formula with a comma', '+SUM(A1,B1)', `"'+SUM(A1,B1)"`],
    ['that begins with a minus', '-1', "'-1"],
    ['that begins with an at', '@x', "'@x"],
    ['that is a formula after a semicolon', "x;=cmd|' /C calc'!A0", `"x;'=cmd|' /C calc'!A0"`],
    ['with a semicolon', 'a;b', '"a;b"'],
    ['that is a formula after a line feed', 'x\n=1+1', `"x\n'=1+1"`],
    ['that begins with a line feed and a formula', '\n=1+1', `"'\n'=1+1"`],
    ['that begins with a byte order mark and a formula', '\ufeff=1+1', `'\ufeff=1+1`],
    ['that is a fullwidth formula after a semicolon', 'x;\uff1d1', `"x;'\uff1d1"`],
    ['that begins with a tab', '\tx', "'\tx"],
    ['that begins with a fullwidth equals sign', '\uff1dx', "'\uff1dx"],
    ['that begins with another fullwidth letter', '\uff21x', '\uff21x'],
  ])('%s', (_, title, cell) => {
    const entry = changeEntry({ entityType: 'a', entityId: 'b', entityTitle: title, actionType: 'c' })
    expect(linesOf([entry])).toContain(`,a,b,${cell},c,`)
  })
})

test('a state with a formula after a semicolon keeps its JSON value', () => {
  const state = { text: 'x;=cmd', wide: ';\uff0b1', plain: 'a; b', number: -1 }
  const csv = linesOf([changeEntry({ afterState: JSON.stringify(state) })])
  expect(csv).toMatch(/x;\\u003dcmd/)
  const [, cell = ''] = /"((?:[^"]|"")*)"\r\n$/.exec(csv) ?? []
  expect(JSON.parse(cell.replaceAll('""', '"'))).toEqual(state)
})

test('writes a state of a megabyte of quotes', () => {
  const entries = [changeEntry(), changeEntry({ afterState: JSON.stringify('"'.repeat(500_000)) }), changeEntry()]
  expect(linesOf(entries) === csvOf(entries.map(cellsOf))).toBe(true)
})
