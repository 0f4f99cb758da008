import type { JsonValue } from '@herald/contracts'

/**
 * Parses JSON. An integer that a double cannot hold becomes a string of its digits; other numbers are doubles.
 *
 * @throws SyntaxError
 */
export function parseLosslessly(text: string): JsonValue {
  return JSON.parse(text, keepDigits)
}

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
