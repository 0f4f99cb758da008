import { z } from 'zod'

const dateTime = z.regexes.datetime({ offset: true })

/** An RFC 3339 date-time with any offset, as milliseconds since 1970; finer fractions are truncated. */
export const timestampSchema = z
  .string()
  .toUpperCase()
  .refine((text) => dateTime.test(text), { error: 'Must be a date-time such as 2026-01-31T09:30:00Z' })
  .transform((text) => Date.parse(text))
  .meta({ format: 'date-time' })

/** Formats a time as in all responses: `YYYY-MM-DDTHH:MM:SSZ`, with the fraction truncated. */
export function formatTimestamp(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`
}
