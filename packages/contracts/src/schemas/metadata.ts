import { z } from 'zod'
import { isSafe, type JsonValue, safeJsonSchema } from '../base/json-safety.ts'
import { limits } from '../base/limits.ts'
import { textSchema } from '../base/text.ts'

type JsonObject = { [key: string]: JsonValue }

/** Passed on by reference, because zod's copy would drop or reorder keys. */
const freeFormSchema = z
  .custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: 'Must be an object',
  })
  .meta({ type: 'object', ...safeJsonSchema, description: 'Free-form object, returned unchanged' })

const mentionShape = {
  mentionerName: textSchema(limits.nameCharacters),
  snippet: textSchema(limits.snippetCharacters),
  entityType: z.string().optional(),
  anchorId: z.string().optional(),
}

type Mention = { entityType?: string | undefined; anchorId?: string | undefined }

const hasTarget = (mention: Mention) => mention.entityType !== undefined || mention.anchorId !== undefined
const targetRequired = { error: 'Must have entityType or anchorId' }
/** The required members and one of both: a choice of `required` lists makes useless types of many generators. */
const targetJsonSchema = { minProperties: 3, description: 'With `entityType`, `anchorId` or both' }

type Metadata = { mention: Mention; add: JsonObject; edit: JsonObject }

let last: { readonly metadata: object; readonly text: string } = { metadata: {}, text: '{}' }

/** The JSON of metadata. Remembers the last one, because it is stored just after its size was checked. */
export function toMetadataText(metadata: object): string {
  if (last.metadata !== metadata) last = { metadata, text: JSON.stringify(metadata) }
  return last.text
}

const isSmall = (metadata: Metadata) => Buffer.byteLength(toMetadataText(metadata)) <= limits.metadataBytes
const sizeError = { error: `Must be at most ${limits.metadataBytes} bytes of JSON` }
// The whole body or event was searched for unsafe JSON before, so that only the depth is left.
const isFlat = (metadata: Metadata) => isSafe(metadata, limits.metadataLevels, false)
const depthError = { error: `Must be nested at most ${limits.metadataLevels} levels deep` }

const freeForms = { add: freeFormSchema.default(() => ({})), edit: freeFormSchema.default(() => ({})) }

const bounds = {
  description: `At most ${limits.metadataBytes} bytes of JSON and ${limits.metadataLevels} levels; no key is \`__proto__\``,
}

const bounded = <Schema extends z.ZodType<Metadata>>(schema: Schema) =>
  schema
    .refine(isFlat, { ...depthError, abort: true })
    .refine(isSmall, sizeError)
    .meta(bounds)

/** `metadata` of a request (specification 2.3). Unknown fields are rejected. */
export const metadataSchema = bounded(
  z.strictObject({
    mention: z.strictObject(mentionShape).refine(hasTarget, targetRequired).meta(targetJsonSchema),
    ...freeForms,
  }),
)

/** `metadata` of an event. Unknown fields are dropped, because a publisher may be newer than this service. */
export const eventMetadataSchema = bounded(
  z.object({ mention: z.object(mentionShape).refine(hasTarget, targetRequired).meta(targetJsonSchema), ...freeForms }),
)
