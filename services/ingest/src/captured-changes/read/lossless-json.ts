import type { JsonValue } from '@herald/contracts'

/**
 * Parses JSON. An integer that a double cannot hold becomes a string of its digits; other numbers are doubles.
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

/** The number of members, objects and arrays in JSON, except within its strings, counted up to one more than `max`. */
export function countMembers(text: string, max: number): number {
  let count = 0
  let isString = false
  for (let index = 0; index < text.length && count <= max; index++) {
    const code = text.charCodeAt(index)
    if (code === quote) isString = !isString
    else if (isString) index += code === backslash ? 1 : 0
    else if (code === colon || code === brace || code === bracket) count++
  }
  return count
}

const [quote, backslash, colon, brace, bracket] = [0x22, 0x5c, 0x3a, 0x7b, 0x5b]

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const digits = context?.source ?? ''
  return /^-?\d+$/.test(digits) ? digits : value
}

/** Whether plain `JSON.parse` may have rounded an integer in `value`, except in a member named `except`. */
export function mayHaveRounded(value: unknown, except?: string | undefined): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value)
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((item) => mayHaveRounded(item))
  for (const key in value) {
    if (key !== except && mayHaveRounded((value as Record<string, unknown>)[key])) return true
  }
  return false
}

/** An integer as a number, or as a string of its digits if a double cannot hold it; `null` for anything else. */
export function toInteger(value: unknown): number | string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : null
  if (typeof value !== 'string' || !/^-?\d{1,40}$/.test(value)) return null
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}
