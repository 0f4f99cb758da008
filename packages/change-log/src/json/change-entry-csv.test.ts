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

/** Adds an apostrophe wherever a spreadsheet may interpret text as a formula, and in JSON an escape. */
function harmless(cell: string, column: number): string {
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
  if (isState(column))
    return cell.replaceAll(new RegExp(`;(\\ufeff*)(${formula})`, 'g'), (_, marks, sign) => `;${marks}${escaped(sign)}`)
  const start = cell.replace(new RegExp(`^(?=[\\t\\r\\n\\ufeff']|${formula})`), "'")
  return start.replaceAll(new RegExp(`(?<=[;\\r\\n])(?='|[\\t\\ufeff]*${formula})`, 'g'), "'")
}

/** The cells of one line, as any reader of RFC 4180 has them. */
const cellsIn = (line: string) =>
  [...line.slice(0, -2).matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g)].map(
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
  )

/** Reads a text back, as the guide says. */
const textOf = (cell: string) => cell.replaceAll(/(^|[;\r\n])'/g, '$1')

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

test('what was written can be read back', () => {
  const sign = fc.constantFrom('=', '+', '-', '@', '\uff1d', "'", ';', '\r', '\n', '\t', '\ufeff', 'a', '1', '"', ',')
  const text = fc.array(sign, { maxLength: 8 }).map((signs) => signs.join(''))
  const json = fc.oneof(text, fc.double({ noDefaultInfinity: true, noNaN: true }), fc.constant(-42.5))
  fc.assert(
    fc.property(text, text, json, (entityId, entityTitle, state) => {
      const entry = changeEntry({ entityId, entityTitle, afterState: JSON.stringify(state) })
      const cells = cellsIn(linesOf([entry]))
      expect([textOf(cells[5] ?? ''), textOf(cells[6] ?? ''), JSON.parse(cells[11] ?? '')]).toEqual([
        entityId,
        entityTitle,
        JSON.parse(JSON.stringify(state)),
      ])
    }),
    { numRuns: 5_000 },
  )
})

test.each(['-42.5', '-0.02', '-1e-7', '-1'])('a state that is the number %s stays a number', (state) => {
  expect(linesOf([changeEntry({ afterState: state })])).toMatch(new RegExp(`,${state}\r\n$`))
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
    ['that begins with an apostrophe', "'-5", "''-5"],
    ['with an apostrophe after a semicolon', "a;'b", `"a;''b"`],
    ['with an apostrophe after a line feed', "a\n'=b", `"a\n''=b"`],
    ['with an apostrophe within', "Ada's", "Ada's"],
    ['that begins with another fullwidth letter', '\uff21x', '\uff21x'],
  ])('%s', (_, title, cell) => {
    const entry = changeEntry({ entityType: 'a', entityId: 'b', entityTitle: title, actionType: 'c' })
    expect(linesOf([entry])).toContain(`,a,b,${cell},c,`)
  })
})

test('a state with a formula after a semicolon keeps its JSON value', () => {
  const state = { text: 'x;=cmd', wide: ';\uff0b1', marked: ';\ufeff=1', quoted: ";'=1", plain: 'a; b', number: -1 }
  const csv = linesOf([changeEntry({ afterState: JSON.stringify(state) })])
  expect(csv).toMatch(/x;\\u003dcmd/)
  const [, cell = ''] = /"((?:[^"]|"")*)"\r\n$/.exec(csv) ?? []
  expect(JSON.parse(cell.replaceAll('""', '"'))).toEqual(state)
})

test('writes a state of a megabyte of quotes', () => {
  const entries = [changeEntry(), changeEntry({ afterState: JSON.stringify('"'.repeat(500_000)) }), changeEntry()]
  expect(linesOf(entries) === csvOf(entries.map(cellsOf))).toBe(true)
})
