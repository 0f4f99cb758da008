import { limits, uuidSchema } from '@herald/contracts'
import { z } from 'zod'

/** How help and completion present an option. A flag has no placeholder. */
export type OptionDescription = {
  readonly description: string
  /** Placeholder of the value. */
  readonly value?: string
  readonly isRepeatable?: boolean
  readonly choices?: readonly string[]
}

/** An option with a value. It is required unless the schema is optional or has a default. */
export function option<Schema extends z.ZodType>(schema: Schema, description: OptionDescription & { value: string }) {
  return schema.meta({ ...description })
}

/** An option without a value. */
export function flag(description: string) {
  return z.boolean().default(false).meta({ description })
}

/** One of a few words, which the shell completes. */
export function choice<Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, { error: `Must be one of ${words.join(', ')}` })
}

export const uuidValue = uuidSchema
export const textValue = z.string().min(1, { error: 'Must not be empty' })

/** A CloudEvents time, as milliseconds since 1970. */
export const timeValue = z.iso
  .datetime({ offset: true, error: 'Must be a time such as 2026-01-31T08:00:00Z' })
  .transform((text) => Date.parse(text))

export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d{1,12}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `Must be a whole number from ${min} to ${max}`,
    })
    .transform(Number)

/** Recipients of an event, without duplicates. */
export const recipientsValue = z
  .array(uuidSchema)
  .max(limits.eventRecipients)
  .transform((ids) => [...new Set(ids)])

export function describeOption(schema: z.ZodType): OptionDescription & { readonly isRequired: boolean } {
  const { description = '', value, isRepeatable, choices } = (schema.meta() ?? {}) as Partial<OptionDescription>
  return {
    description,
    ...(value === undefined ? {} : { value }),
    ...(isRepeatable === undefined ? {} : { isRepeatable }),
    ...(choices === undefined ? {} : { choices }),
    isRequired: !schema.safeParse(undefined).success,
  }
}
