import { z } from 'zod'

function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** A text of at most `max` Unicode characters, as JSON Schema's `maxLength` counts them; it may be empty. */
export function textSchema(max: number) {
  return z
    .string()
    .refine((text) => text.length <= max || countCharacters(text) <= max, {
      error: `Must have at most ${max} characters`,
    })
    .meta({ maxLength: max })
}
