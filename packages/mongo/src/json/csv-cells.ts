import type { Input } from './bson.ts'
import { output } from './byte-writer.ts'
import { endOfText } from './values.ts'

const quote = 0x22
const comma = 0x2c
const apostrophe = 0x27
const semicolon = 0x3b
const tab = 0x09
const lineFeed = 0x0a
const carriageReturn = 0x0d
const formulaBytes = new Set([0x3d, 0x2b, 0x2d, 0x40])
const wideFormulas = ['\uff1d', '\uff0b', '\uff0d', '\uff20'].map((sign) => Buffer.from(sign))
const byteOrderMark = Buffer.from('\ufeff')
const beginsWith = (bytes: Buffer, at: number, sign: Uint8Array) => sign.every((byte, i) => bytes[at + i] === byte)

/** Whether a spreadsheet may read the text at `at` as a formula: directly, or after tabs and byte order marks. */
function beginsFormula(bytes: Buffer, at: number, end: number): boolean {
  let start = at
  while (start < end) {
    if (bytes[start] === tab) start++
    else if (bytes[start] !== 0xef) return formulaBytes.has(bytes[start] as number)
    else if (beginsWith(bytes, start, byteOrderMark)) start += byteOrderMark.length
    else return wideFormulas.some((sign) => beginsWith(bytes, start, sign))
  }
  return false
}

/**
 * Whether an apostrophe goes before the start of a cell: a formula begins there, or an apostrophe that would else be taken for
 * one of ours. A leading tab, line end or byte order mark counts, because some programs drop it.
 */
function needsMarkAtStart(bytes: Buffer, at: number, end: number): boolean {
  const first = bytes[at]
  if (first === tab || first === lineFeed || first === carriageReturn || beginsWith(bytes, at, byteOrderMark))
    return true
  return needsMark(bytes, at, end)
}

const needsMark = (bytes: Buffer, at: number, end: number) =>
  (at < end && bytes[at] === apostrophe) || beginsFormula(bytes, at, end)

/** If semicolons separate cells, each one starts a cell and each line end starts a row, even inside quotes. */
const endsCell = (byte: number) => byte === semicolon || byte === lineFeed || byte === carriageReturn
const needsQuotes = (byte: number) => byte === quote || byte === comma || endsCell(byte)

/**
 * Writes a text as a cell of CSV (RFC 4180): quoted if it contains a comma, a semicolon, a quote or a line break. An
 * apostrophe precedes everything that a spreadsheet may interpret as a formula
 * (https://owasp.org/www-community/attacks/CSV_Injection), and each apostrophe in such a place: readers get the text back by
 * removing one apostrophe at the start and one behind each `;`, CR and LF.
 */
export function writeCsvCell({ bytes }: Input, at: number): void {
  const end = endOfText(bytes, at)
  writeCell(bytes, at, end, needsMark, at < end && needsMarkAtStart(bytes, at, end))
}

type NeedsMark = typeof needsMark
const never: NeedsMark = () => false

function writeCell(bytes: Buffer, at: number, end: number, isMarked: NeedsMark, isMarkedAtStart: boolean): void {
  const to = output.bytes
  let next = output.length
  if (isMarkedAtStart) to[next++] = apostrophe
  for (let i = at; i < end; i++) {
    const byte = bytes[i] as number
    if (needsQuotes(byte)) {
      writeQuotedCell(bytes, at, end, isMarked, isMarkedAtStart)
      return
    }
    to[next++] = byte
  }
  output.length = next
}

function writeQuotedCell(bytes: Buffer, at: number, end: number, isMarked: NeedsMark, isMarkedAtStart: boolean): void {
  const to = output.bytes
  let next = output.length
  to[next++] = quote
  if (isMarkedAtStart) to[next++] = apostrophe
  for (let i = at; i < end; i++) {
    const byte = bytes[i] as number
    if (byte === quote) to[next++] = quote
    to[next++] = byte
    if (endsCell(byte) && isMarked(bytes, i + 1, end)) to[next++] = apostrophe
  }
  to[next++] = quote
  output.length = next
}

/**
 * Writes JSON as a cell of CSV, without apostrophes: a negative number stays a number, and everything else begins with a letter,
 * a digit, a quote or a bracket. Its semicolons are inside strings, where the start of a formula can be written as an escape, so
 * that the JSON keeps its value.
 */
export function writeCsvJsonCell({ bytes }: Input, at: number): void {
  const end = endOfText(bytes, at)
  let hasFormula = false
  for (let i = bytes.indexOf(semicolon, at); i !== -1 && i < end && !hasFormula; i = bytes.indexOf(semicolon, i + 1)) {
    hasFormula = beginsFormula(bytes, i + 1, end)
  }
  if (!hasFormula) {
    writeCell(bytes, at, end, never, false)
    return
  }
  const escaped = bytes.toString('utf8', at, end).replaceAll(/;(\ufeff*)([=+\-@\uff1d\uff0b\uff0d\uff20])/g, escapeSign)
  const text = Buffer.from(escaped)
  writeCell(text, 0, text.length, never, false)
}

const escapeSign = (_: string, marks: string, sign: string) =>
  `;${marks}\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
