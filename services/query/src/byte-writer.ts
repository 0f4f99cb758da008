import { formatTimestamp } from '@herald/contracts'

/*
 * Writes JSON and CSV in UTF-8 directly from the bytes that MongoDB stores, without intermediate strings and objects:
 * this takes at most half the time and leaves no garbage. All writers share one buffer; writing is synchronous. Call
 * `startWriting`, the writers, and then `endWriting`.
 */

const initialCapacity = 1 << 16
const maxKeptCapacity = 1 << 20

let out = Buffer.allocUnsafe(initialCapacity)
let at = 0

export function startWriting(): void {
  at = 0
}

/** Returns the bytes written since {@link startWriting}. */
export function endWriting(): Buffer {
  const written = Buffer.from(out.subarray(0, at))
  // Releases the buffer after an unusually large response.
  if (out.length > maxKeptCapacity) out = Buffer.allocUnsafe(initialCapacity)
  return written
}

function ensureCapacity(bytes: number): void {
  if (at + bytes <= out.length) return
  const larger = Buffer.allocUnsafe(Math.max(at + bytes, 2 * out.length))
  out.copy(larger, 0, 0, at)
  out = larger
}

/** Exceeds the size of all non-text values of a document, and of a closing. */
const fixedBytes = 1_024
/** The maximum size of an escaped byte: `\u001f`. */
const maxEscapedBytes = 6

/** Writes documents with `between` between them. Afterwards there is still capacity for 1 KiB. */
export function writeEach(documents: readonly Buffer[], between: Uint8Array, write: (document: Buffer) => void): void {
  documents.forEach((document, index) => {
    ensureCapacity(fixedBytes + maxEscapedBytes * document.length)
    if (index > 0) writeBytes(between)
    write(document)
  })
  ensureCapacity(fixedBytes)
}

/** Writes documents as lines, each with a line end. */
export function writeLines(documents: readonly Buffer[], lineEnd: Uint8Array, write: (document: Buffer) => void): void {
  writeEach(documents, lineEnd, write)
  if (documents.length > 0) writeBytes(lineEnd)
}

/** Encodes constant text. */
export const encode = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))

// A loop, because the parts are too short for a native call to pay off.
export function writeBytes(bytes: Uint8Array): void {
  const to = out
  const start = at
  for (let i = 0; i < bytes.length; i++) to[start + i] = bytes[i] as number
  at = start + bytes.length
}

const quote = 0x22
const apostrophe = 0x27
const digits = encode('0123456789abcdef')

/** Writes a UUID as text, from its 16 bytes. */
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

/** The offset after a text; see `DocumentPlaces` of the store. */
const endOf = (bytes: Buffer, place: number) => place + bytes.readInt32LE(place - 4) - 1

/** Copies a text that is JSON already, or contains nothing that JSON escapes. */
export function copyText(bytes: Buffer, place: number): void {
  at += bytes.copy(out, at, place, endOf(bytes, place))
}

/** Writes a text as JSON. */
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
const wideFormulas = ['\uff1d', '\uff0b', '\uff0d', '\uff20'].map(encode)
const byteOrderMark = encode('\ufeff')
const beginsWith = (bytes: Buffer, place: number, sign: Uint8Array) =>
  sign.every((byte, i) => bytes[place + i] === byte)

/** Whether a spreadsheet may read the text at `place` as a formula: directly, or after tabs and byte order marks. */
function beginsFormula(bytes: Buffer, place: number, end: number): boolean {
  let start = place
  while (start < end) {
    if (bytes[start] === tab) start++
    else if (bytes[start] !== 0xef) return formulaBytes.has(bytes[start] as number)
    else if (beginsWith(bytes, start, byteOrderMark)) start += byteOrderMark.length
    else return wideFormulas.some((sign) => beginsWith(bytes, start, sign))
  }
  return false
}

/**
 * The same for the start of a cell. A leading tab, line end or byte order mark counts, because some programs drop it.
 */
function beginsFormulaCell(bytes: Buffer, place: number, end: number): boolean {
  const first = bytes[place]
  if (first === tab || first === lineFeed || first === carriageReturn || beginsWith(bytes, place, byteOrderMark))
    return true
  return beginsFormula(bytes, place, end)
}

/** If semicolons separate cells, each one starts a cell and each line end starts a row, even inside quotes. */
const endsCell = (byte: number) => byte === semicolon || byte === lineFeed || byte === carriageReturn
const needsQuotes = (byte: number) => byte === quote || byte === 0x2c || endsCell(byte)

/**
 * Writes a text as a cell of CSV (RFC 4180): quoted if it contains a comma, a semicolon, a quote or a line break. An
 * apostrophe precedes everything that a spreadsheet may interpret as a formula
 * (https://owasp.org/www-community/attacks/CSV_Injection).
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
 * Writes JSON as a cell of CSV. Its semicolons are inside strings, where the start of a formula can be written as an
 * escape, so that the JSON keeps its value.
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

const nullBytes = encode('null')
const dayMs = 24 * 60 * 60 * 1_000
/** The times on a page are often of the same day, so the text of the last day is kept. */
let lastDay = Number.NaN
const dayText = new Uint8Array(11)

/** Writes a time as JSON, `null` if it is absent. */
export function writeJsonTime(bytes: Buffer, place: number): void {
  if (place === 0) {
    writeBytes(nullBytes)
    return
  }
  out[at++] = quote
  writeTimestamp(bytes, place)
  out[at++] = quote
}

/** Writes a time in the format of `formatTimestamp`. */
export function writeTimestamp(bytes: Buffer, place: number): void {
  const milliseconds = bytes.readInt32LE(place + 4) * 2 ** 32 + bytes.readUInt32LE(place)
  const day = Math.floor(milliseconds / dayMs)
  if (day !== lastDay) {
    dayText.set(encode(formatTimestamp(new Date(milliseconds)).slice(0, 11)))
    lastDay = day
  }
  const seconds = Math.floor((milliseconds - day * dayMs) / 1_000)
  writeBytes(dayText)
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
