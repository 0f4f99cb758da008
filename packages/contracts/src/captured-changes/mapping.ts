import { z } from 'zod'
import { limits } from '../base/limits.ts'
import { isUuid } from '../base/uuid.ts'

/** Debezium’s default of `unavailable.value.placeholder`. */
const defaultPlaceholder = '__debezium_unavailable_value'

const text = (max: number) => z.string().min(1).max(max)
const fieldName = text(256).meta({ id: 'FieldName' })
const longestText = 2_000

const constantSchema = z.strictObject({ constant: z.string().max(longestText) })

/** Where a value is found in a row, or the value itself. */
const valueSchema = z
  .union([fieldName, z.array(fieldName).min(1).max(16), constantSchema], {
    error: ({ input }) =>
      input === undefined
        ? 'Required'
        : 'Must be a field (`id`, `address.city`), a list of names (`[address, city]`), or `{ constant: … }`',
  })
  .meta({
    id: 'MappedValue',
    description:
      'A field of the row; `address.city` is `city` within `address`. A list of names if a name contains a dot. `constant` is the value itself.',
  })
export type MappedValue = z.output<typeof valueSchema>

/** How a key that is no text becomes a UUID. */
const keyForms = {
  as: z
    .literal('uuid-bytes')
    .optional()
    .meta({ description: '`uuid-bytes`: 16 bytes, in base64, base64url, hexadecimal or as a binary of extended JSON' }),
  derive: z.boolean().default(false).meta({
    description: 'Whether a value that is not a UUID becomes one, derived from its text',
  }),
}

const keySchema = z.union([valueSchema, z.strictObject({ id: valueSchema, ...keyForms })], {
  error: ({ input }) =>
    input === undefined
      ? 'Required'
      : 'Must be a field, a list of names, `{ constant: … }`, `{ id: …, as: uuid-bytes }` or `{ id: …, derive: true }`',
})
type KeySetting = z.output<typeof keySchema>

/** Where a UUID is found in a row, and how a value that is none becomes one. */
export type MappedKey = { readonly id: MappedValue; readonly as?: 'uuid-bytes' | undefined; readonly derive: boolean }

/** A key in its long form. */
export const mappedKeyOf = (setting: KeySetting): MappedKey =>
  typeof setting === 'object' && 'id' in setting ? setting : { id: setting, derive: false }

const isConstantUuid = (value: MappedValue) => !isConstant(value) || isUuid(value.constant)
const fieldNames = (description: string) =>
  z
    .array(fieldName)
    .max(1_000)
    .default([])
    .meta({ description: `Top-level fields ${description}` })

/** How the changes of one table become change entries. */
export const mappingSchema = z
  .strictObject({
    entityType: text(limits.nameCharacters).meta({ description: '`entityType` of the entries' }),
    subscriberId: keySchema
      .refine((key) => mappedKeyOf(key).derive || isConstantUuid(mappedKeyOf(key).id), {
        error: 'The constant must be a UUID',
      })
      .meta({ description: 'The subscriber’s UUID' }),
    entityId: valueSchema.meta({ description: '`entityId` of the entries' }),
    entityTitle: valueSchema.meta({ description: '`entityTitle` of the entries; empty where the field is null' }),
    user: z
      .strictObject({
        id: valueSchema.meta({ description: 'UUID of the user' }),
        name: valueSchema.optional().meta({ description: 'Empty if absent' }),
        email: valueSchema.optional().meta({ description: 'Empty if absent' }),
        ...keyForms,
      })
      .refine(({ id, derive }) => derive || isConstantUuid(id), { path: ['id'], error: 'The constant must be a UUID' })
      .meta({ description: 'Who made the change' }),
    ignore: fieldNames('that make no entry and appear in no state'),
    redact: fieldNames('whose values become "[redacted]", in entries and in dead letters'),
    unavailable: text(1_000)
      .default(defaultPlaceholder)
      .meta({ description: 'The connector’s `unavailable.value.placeholder`' }),
    replicaIdentity: z.literal('full').optional().meta({
      description:
        'PostgreSQL: whether the table has REPLICA IDENTITY FULL. Without it the state of a delete is only the key.',
    }),
    snapshot: z
      .enum(['skip', 'record'])
      .default('skip')
      .meta({ description: 'Whether the rows of a snapshot become entries; each snapshot records them again' }),
  })
  .superRefine(checkRedacted)
export type Mapping = z.output<typeof mappingSchema>

const topicName = z.string().regex(/^[A-Za-z0-9._-]{1,249}$/)

/** The file that `CDC_MAPPINGS` names. */
export const mappingFileSchema = z
  .strictObject({
    $schema: z.string().optional(),
    topics: z
      .record(topicName, mappingSchema, {
        error: ({ code }) => (code === 'invalid_key' ? 'Must be the name of a Kafka topic' : undefined),
      })
      .refine((topics) => Object.keys(topics).length > 0, { error: 'Must have at least one topic' })
      .refine((topics) => Object.keys(topics).length <= 1_000, { error: 'Must have at most 1,000 topics' })
      .meta({ description: 'Mappings by topic' }),
  })
  .meta({ title: 'Herald: mappings of captured changes' })

/** Creates the JSON Schema (draft 2020-12) of mapping files, with which editors check and complete them. */
export function createMappingJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(mappingFileSchema, { io: 'input' })
}

export const isConstant = (value: MappedValue): value is z.output<typeof constantSchema> =>
  typeof value === 'object' && !Array.isArray(value)

/** The names that lead to a field; none for a constant. */
export function pathOf(value: MappedValue): readonly string[] {
  if (isConstant(value)) return []
  return typeof value === 'string' ? value.split('.') : value
}

/** A redacted field must not come back as the title, or as another part of the entry. */
function checkRedacted(mapping: z.output<typeof mappingSchema>, context: z.RefinementCtx): void {
  const { subscriberId, entityId, entityTitle, user, redact } = mapping
  const places = {
    subscriberId: mappedKeyOf(subscriberId).id,
    entityId,
    entityTitle,
    'user.id': user.id,
    'user.name': user.name,
    'user.email': user.email,
  }
  for (const [place, value] of Object.entries(places)) {
    const [field] = value === undefined ? [] : pathOf(value)
    if (field === undefined || !redact.includes(field)) continue
    context.addIssue({ code: 'custom', path: place.split('.'), message: 'Must not be a redacted field' })
  }
}
