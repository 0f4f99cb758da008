import { z } from 'zod'

/** The metadata of an option's schema. It is required unless the schema is optional or has a default. */
type OptionDescription = {
  readonly description: string
  /** Placeholder of the value. A flag has none. */
  readonly value?: string
  readonly isRepeatable?: boolean
}

export function flag(description: string) {
  return z.boolean().default(false).meta({ description })
}

export function choice<Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, { error: `Must be one of ${words.join(', ')}` })
}

export const textValue = z.string().min(1, { error: 'Must not be empty' })

/** A CloudEvents time, as milliseconds since 1970. */
export const timeValue = z.iso
  .datetime({ offset: true, error: 'Must be a time such as 2026-01-31T08:00:00Z' })
  .transform((text) => Date.parse(text))

export function describeOption(schema: z.ZodType): OptionDescription & { readonly isRequired: boolean } {
  const described = schema.meta() as OptionDescription
  return { ...described, isRequired: !schema.safeParse(undefined).success }
}
