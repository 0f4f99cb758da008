import { z } from 'zod'

/**
 * A date-time as RFC 3339 has it, with or without a fraction, in any offset; the output is milliseconds since 1970,
 * finer fractions truncated.
 */
export const timestampSchema = z
  .string()
  .toUpperCase()
  .pipe(z.iso.datetime({ offset: true, error: 'Must be a date-time such as 2026-01-31T09:30:00Z' }))
  .transform((text) => Date.parse(text))
  .meta({ format: 'date-time' })

/** The one form in which times go out: `YYYY-MM-DDTHH:MM:SSZ`, the fraction cut off. */
export function formatTimestamp(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`
}
