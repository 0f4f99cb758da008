import { z } from 'zod'

function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** A string of at most `max` Unicode characters, counted like JSON Schema's `maxLength`; may be empty. */
export function textSchema(max: number) {
  return z
    .string()
    .refine((text) => text.length <= max || countCharacters(text) <= max, {
      error: `Must have at most ${max} characters`,
    })
    .meta({ maxLength: max })
}
