import { formatTimestamp } from '@herald/contracts'

/*
 * JSON and CSV in UTF-8, written from the bytes in which MongoDB stores what they say, without a text or an object in between:
 * it takes half the time or less, and leaves nothing to collect. There is one room for all that is written, for nothing waits
 * while it is: `startWriting`, what is to be said, `endWriting`.
 */

const firstBytes = 1 << 16
const keptBytes = 1 << 20

let out = Buffer.allocUnsafe(firstBytes)
let at = 0

export function startWriting(): void {
  at = 0
}

/** What was written since {@link startWriting}. */
export function endWriting(): Buffer {
  const written = Buffer.from(out.subarray(0, at))
  // After something enormous the room goes back.
  if (out.length > keptBytes) out = Buffer.allocUnsafe(firstBytes)
  return written
}

function makeRoom(bytes: number): void {
  if (at + bytes <= out.length) return
  const larger = Buffer.allocUnsafe(Math.max(at + bytes, 2 * out.length))
  out.copy(larger, 0, 0, at)
  out = larger
}

/** More than all of a document that is no text takes, and more than a closing. */
const fixedBytes = 1_024
/** What a byte of a text may become: `\u001f`. */
const growth = 6

/** Writes documents one after another, with `between` between them. There is room for each, and for 1 KiB behind the last. */
export function writeEach(documents: readonly Buffer[], between: Uint8Array, write: (document: Buffer) => void): void {
  documents.forEach((document, index) => {
    makeRoom(fixedBytes + growth * document.length)
    if (index > 0) writePiece(between)
    write(document)
  })
  makeRoom(fixedBytes)
}

/** The same as lines, each with its end. */
export function writeLines(documents: readonly Buffer[], lineEnd: Uint8Array, write: (document: Buffer) => void): void {
  writeEach(documents, lineEnd, write)
  if (documents.length > 0) writePiece(lineEnd)
}

/** Text that is written as it is. */
export const piece = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))

// Loops, for pieces are too short for a call into native code to be worth it.
export function writePiece(bytes: Uint8Array): void {
  const to = out
  const start = at
  for (let i = 0; i < bytes.length; i++) to[start + i] = bytes[i] as number
  at = start + bytes.length
}

const quote = 0x22
const apostrophe = 0x27
const digits = piece('0123456789abcdef')

/** A UUID as text, from its 16 bytes. */
export function writeUuid(bytes: Buffer, place: number): void {
  const to = out
  let next = at
  for (let i = 0; i < 16; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) to[next++] = 0x2d
    const byte = bytes[place + i] as number
    to[next++] = digits[byte >> 4] as number
    to[next++] = digits[byte & 15] as number
  }
  at = next
}

/** Where a text ends; see `DocumentPlaces` of the store. */
const endOf = (bytes: Buffer, place: number) => place + bytes.readInt32LE(place - 4) - 1

/** A text that is JSON already, or has nothing that JSON would escape. */
export function copyText(bytes: Buffer, place: number): void {
  at += bytes.copy(out, at, place, endOf(bytes, place))
}

/** A text as JSON. */
export function writeJsonText(bytes: Buffer, place: number): void {
  const end = endOf(bytes, place)
  const to = out
  let next = at
  to[next++] = quote
  for (let i = place; i < end; i++) {
    const byte = bytes[i] as number
    if (byte < 0x20 || byte === quote || byte === 0x5c) {
      at += to.write(JSON.stringify(bytes.toString('utf8', place, end)), at)
      return
    }
    to[next++] = byte
  }
  to[next++] = quote
  at = next
}

const semicolon = 0x3b
const tab = 0x09
const lineFeed = 0x0a
const carriageReturn = 0x0d
const formulaBytes = new Set([0x3d, 0x2b, 0x2d, 0x40])
const wideFormulas = ['\uff1d', '\uff0b', '\uff0d', '\uff20'].map(piece)
const mark = piece('\ufeff')
const beginsWith = (bytes: Buffer, place: number, sign: Uint8Array) =>
  sign.every((byte, i) => bytes[place + i] === byte)

/** Whether a spreadsheet takes the text from `place` on for a formula: behind tabs and byte order marks, or at once. */
function beginsFormula(bytes: Buffer, place: number, end: number): boolean {
  let start = place
  while (start < end) {
    if (bytes[start] === tab) start++
    else if (bytes[start] !== 0xef) return formulaBytes.has(bytes[start] as number)
    else if (beginsWith(bytes, start, mark)) start += mark.length
    else return wideFormulas.some((sign) => beginsWith(bytes, start, sign))
  }
  return false
}

/** The same at the start of a cell, where some drop a tab, a line end or a byte order mark: these are suspicious as such. */
function beginsFormulaCell(bytes: Buffer, place: number, end: number): boolean {
  const first = bytes[place]
  if (first === tab || first === lineFeed || first === carriageReturn || beginsWith(bytes, place, mark)) return true
  return beginsFormula(bytes, place, end)
}

/** Where semicolons separate cells, one begins behind each of them, and a row behind each line end, quotes or not. */
const endsCell = (byte: number) => byte === semicolon || byte === lineFeed || byte === carriageReturn
const needsQuotes = (byte: number) => byte === quote || byte === 0x2c || endsCell(byte)

/**
 * A text as a cell of CSV (RFC 4180): in quotes when it has a comma, a semicolon, a quote or a line break. Wherever a
 * spreadsheet may take it for a formula there is an apostrophe (https://owasp.org/www-community/attacks/CSV_Injection).
 */
export function writeCsvCell(bytes: Buffer, place: number): void {
  const end = endOf(bytes, place)
  const isFormula = place < end && beginsFormulaCell(bytes, place, end)
  const to = out
  let next = at
  if (isFormula) to[next++] = apostrophe
  for (let i = place; i < end; i++) {
    const byte = bytes[i] as number
    if (needsQuotes(byte)) {
      writeQuotedCell(bytes, place, end, isFormula)
      return
    }
    to[next++] = byte
  }
  at = next
}

function writeQuotedCell(bytes: Buffer, place: number, end: number, isFormula: boolean): void {
  const to = out
  let next = at
  to[next++] = quote
  if (isFormula) to[next++] = apostrophe
  for (let i = place; i < end; i++) {
    const byte = bytes[i] as number
    if (byte === quote) to[next++] = quote
    to[next++] = byte
    if (endsCell(byte) && beginsFormula(bytes, i + 1, end)) to[next++] = apostrophe
  }
  to[next++] = quote
  at = next
}

/**
 * JSON as a cell of CSV. Semicolons are within its texts only, where what begins a formula behind one can be written
 * with an escape, so that the JSON stays the same.
 */
export function writeCsvJsonCell(bytes: Buffer, place: number): void {
  const end = endOf(bytes, place)
  let hasFormula = false
  for (
    let i = bytes.indexOf(semicolon, place);
    i !== -1 && i < end && !hasFormula;
    i = bytes.indexOf(semicolon, i + 1)
  ) {
    hasFormula = beginsFormula(bytes, i + 1, end)
  }
  if (!hasFormula) {
    writeCsvCell(bytes, place)
    return
  }
  const text = bytes
    .toString('utf8', place, end)
    .replaceAll(/;([=+\-@\uff1d\uff0b\uff0d\uff20])/g, (_, sign: string) => {
      return `;\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
    })
  const escaped = Buffer.from(`\0\0\0\0${text}\0`)
  escaped.writeInt32LE(escaped.length - 4)
  writeCsvCell(escaped, 4)
}

const nothing = piece('null')
const dayMs = 24 * 60 * 60 * 1_000
/** Times on one page are mostly of few days: the text of a day is kept until another one comes. */
let lastDay = Number.NaN
const dayText = new Uint8Array(11)

/** A time in JSON; `null` for what is absent. */
export function writeJsonTime(bytes: Buffer, place: number): void {
  if (place === 0) {
    writePiece(nothing)
    return
  }
  out[at++] = quote
  writeTimestamp(bytes, place)
  out[at++] = quote
}

/** A time as `formatTimestamp` has it. */
export function writeTimestamp(bytes: Buffer, place: number): void {
  const milliseconds = bytes.readInt32LE(place + 4) * 2 ** 32 + bytes.readUInt32LE(place)
  const day = Math.floor(milliseconds / dayMs)
  if (day !== lastDay) {
    dayText.set(piece(formatTimestamp(new Date(milliseconds)).slice(0, 11)))
    lastDay = day
  }
  const seconds = Math.floor((milliseconds - day * dayMs) / 1_000)
  writePiece(dayText)
  writeTwoDigits(Math.floor(seconds / 3_600))
  out[at++] = 0x3a
  writeTwoDigits(Math.floor(seconds / 60) % 60)
  out[at++] = 0x3a
  writeTwoDigits(seconds % 60)
  out[at++] = 0x5a
}

function writeTwoDigits(value: number): void {
  out[at++] = 0x30 + Math.floor(value / 10)
  out[at++] = 0x30 + (value % 10)
}
