import { z } from 'zod'
import type { JsonValue } from './json-safety.ts'
import { limits } from './limits.ts'
import { eventMetadataSchema } from './metadata.ts'
import { textSchema } from './text.ts'
import { uuidSchema } from './uuid.ts'
import { actorTypes, locationTypes, subjectTypes } from './values.ts'

const eventRecipientIdsSchema = z
  .array(uuidSchema)
  .min(1, { error: 'Must name at least one recipient' })
  .transform((ids) => [...new Set(ids)])
  .refine((ids) => ids.length <= limits.eventRecipients, {
    error: `Must name at most ${limits.eventRecipients} recipients`,
  })
  .meta({ description: `At most ${limits.eventRecipients}; duplicates are ignored` })

/** The data of `herald.mention.created.v1`. Unknown fields and duplicate recipients are ignored. */
export const mentionCreatedSchema = z.object({
  actor: z.object({
    id: uuidSchema,
    name: textSchema(limits.nameCharacters),
    image: textSchema(limits.imageCharacters),
  }),
  actorType: z.enum(actorTypes),
  subjectId: uuidSchema,
  subjectType: z.enum(subjectTypes),
  locationId: uuidSchema,
  locationType: z.enum(locationTypes),
  metadata: eventMetadataSchema,
  recipientIds: eventRecipientIdsSchema,
})
export type MentionCreated = z.infer<typeof mentionCreatedSchema>
/** The data of a mention as a publisher sends it. */
export type MentionCreatedInput = z.input<typeof mentionCreatedSchema>

/**
 * The data of `herald.mention.retracted.v1`: either a notification, or a location. Unknown fields and duplicate recipients are
 * ignored.
 */
export const mentionRetractedSchema = z
  .object({
    notificationId: uuidSchema.optional(),
    locationType: z.enum(locationTypes).optional(),
    locationId: uuidSchema.optional(),
    recipientIds: eventRecipientIdsSchema.optional(),
  })
  .superRefine(({ notificationId, locationType, locationId }, context) => {
    const add = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
    if (notificationId === undefined) {
      if (locationType === undefined && locationId === undefined) add([], 'Must name a notification or a location')
      else if (locationType === undefined) add(['locationType'], 'Required with locationId')
      else if (locationId === undefined) add(['locationId'], 'Required with locationType')
    } else if (locationType !== undefined || locationId !== undefined) {
      add([], 'Must name either a notification or a location')
    }
  })
  .meta({
    oneOf: [{ required: ['notificationId'] }, { required: ['locationType', 'locationId'] }],
  })
export type MentionRetractedInput = z.input<typeof mentionRetractedSchema>

/** Any JSON value, `null` if absent. Passed on by reference, because zod's copy would drop or reorder keys. */
const stateSchema = z
  .custom<JsonValue | undefined>()
  .optional()
  .transform((state): JsonValue => state ?? null)
  .meta({ description: 'Any JSON value; `null` if absent' })

/** The data of `herald.change.recorded.v1`. Unknown fields are ignored. */
export const changeRecordedSchema = z.object({
  user: z.object({ id: uuidSchema, name: textSchema(limits.nameCharacters), email: z.string() }),
  entityType: z.string(),
  entityId: z.string(),
  entityTitle: z.string(),
  actionType: z.string(),
  changedField: z.string(),
  beforeState: stateSchema,
  afterState: stateSchema,
})
export type ChangeRecorded = z.infer<typeof changeRecordedSchema>
/** The data of a change as a publisher sends it. */
export type ChangeRecordedInput = z.input<typeof changeRecordedSchema>

/** The data of `herald.email.sent.v1` and `herald.notification.read.v1`, which happened at the event's `time`. */
export const receiptSchema = z.object({ notificationId: uuidSchema, recipientId: uuidSchema })
export type ReceiptInput = z.input<typeof receiptSchema>

/** The data of `herald.person.erased.v1`. Unknown fields are ignored. */
export const personErasedSchema = z.object({ personId: uuidSchema })
export type PersonErasedInput = z.input<typeof personErasedSchema>
