import type { JsonValue } from '@herald/contracts'

/**
 * Parses JSON. A number whose value the shortest form of its double does not give back becomes a string of its digits, and so
 * does an integer beyond 2^53; other numbers are doubles.
 *
 * @throws SyntaxError
 */
export function parseLosslessly(text: string): JsonValue {
  return JSON.parse(text, keepDigits)
}

/** Parsing with the source of numbers takes twenty times as long, in one turn of the event loop. */
export const mostSourcedValues = 50_000

/** The number of values in a value, itself included, counted up to one more than `max`. */
export function countValues(value: unknown, max: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const key in value) {
    if (count > max) return count
    count += countValues((value as Record<string, unknown>)[key], max - count)
  }
  return count
}

/** Each member takes 3 to 5 µs to read, and again to redact, in one turn of the event loop. */
export const mostMembers = 20_000

/** A double gives back all decimals of as many digits without an exponent. */
const exactDigits = 15

export type JsonCounts = {
  /** Members, objects and arrays, counted up to one more than `max`. */
  readonly members: number
  /** Numbers whose value a double does not give back. */
  readonly roundedNumbers: number
}

/** Counts in JSON, except within its strings. */
export function countJson(text: string, max: number): JsonCounts {
  let [members, roundedNumbers] = [0, 0]
  for (let index = 0; index < text.length && members <= max; index++) {
    const code = text.charCodeAt(index)
    if (code === quote) index = endOfString(text, index)
    else if (code === colon || code === brace || code === bracket) members++
    else if (code === minus || isDigit(code)) {
      const end = endOfNumber(text, index)
      if (mayBeRounded(text, index, end) && isRounded(text.slice(index, end))) roundedNumbers++
      index = end - 1
    }
  }
  return { members, roundedNumbers }
}

const [quote, backslash, colon, brace, bracket] = [0x22, 0x5c, 0x3a, 0x7b, 0x5b]
const [minus, plus, point, zero, nine] = [0x2d, 0x2b, 0x2e, 0x30, 0x39]
const exponents: readonly number[] = [0x45, 0x65]
const isDigit = (code: number) => code >= zero && code <= nine
const isOfNumber = (code: number) =>
  isDigit(code) || code === point || code === minus || code === plus || exponents.includes(code)

function endOfString(text: string, start: number): number {
  let index = start + 1
  while (index < text.length) {
    const code = text.charCodeAt(index)
    if (code === quote) break
    index += code === backslash ? 2 : 1
  }
  return index
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1
  while (end < text.length && isOfNumber(text.charCodeAt(end))) end++
  return end
}

function mayBeRounded(text: string, start: number, end: number): boolean {
  if (end - start > exactDigits) return true
  for (let index = start; index < end; index++) if (exponents.includes(text.charCodeAt(index))) return true
  return false
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source
  return typeof value === 'number' && source !== undefined && isRounded(source) ? source : value
}

/** Whether a number, in the form of JSON, is one that the shortest form of its double does not give back. */
function isRounded(source: string): boolean {
  const double = Number(source)
  return /^-?\d+$/.test(source) ? !Number.isSafeInteger(double) : !isSameDecimal(source, String(double))
}

/** Whether two numbers in the form of JSON have the same value. */
function isSameDecimal(one: string, other: string): boolean {
  if (one === other) return true
  const [a, b] = [toDecimal(one), toDecimal(other)]
  return a !== undefined && b !== undefined && a.digits === b.digits && a.exponent === b.exponent
}

/** Sign and significant digits, and the exponent of the last one; a zero has no sign. */
function toDecimal(text: string): { readonly digits: string; readonly exponent: number } | undefined {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  if (whole === '') return undefined
  const all = `${whole}${fraction}`.replace(/^0+/, '')
  const digits = withoutTrailingZeros(all)
  if (digits === '') return { digits: '0', exponent: 0 }
  return { digits: `${sign}${digits}`, exponent: Number(power) - fraction.length + all.length - digits.length }
}

/** A regular expression would take a time quadratic in the length of a run of zeros within. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length
  while (end > 0 && digits.charCodeAt(end - 1) === zero) end--
  return digits.slice(0, end)
}

/** Whether a parsed number was an integer that a double cannot hold. */
export const isUnsafeInteger = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)

/** An integer as a number, or as a string of its digits if a double cannot hold it; `null` for anything else. */
export function toInteger(value: unknown): number | string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : null
  if (typeof value !== 'string' || !/^-?\d{1,40}$/.test(value)) return null
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}
