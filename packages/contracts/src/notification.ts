import { z } from 'zod'
import { limits } from './limits.ts'
import { eventMetadataSchema, metadataSchema } from './metadata.ts'
import { textSchema } from './text.ts'
import { uuidSchema } from './uuid.ts'
import { actorTypes, locationTypes, notificationTypes, subjectTypes } from './values.ts'

/** The fields of a new notification without its recipients. */
const contentShape = {
  type: z.enum(notificationTypes),
  actorType: z.enum(actorTypes),
  subjectId: uuidSchema,
  subjectType: z.enum(subjectTypes),
  locationId: uuidSchema,
  locationType: z.enum(locationTypes),
  metadata: metadataSchema,
}

const recipientIdsSchema = z
  .array(uuidSchema)
  .min(1, { error: 'Must name at least one recipient' })
  .max(limits.recipients, { error: `Must name at most ${limits.recipients} recipients` })
  .superRefine((ids, context) => {
    const seen = new Set<string>()
    for (const [index, id] of ids.entries()) {
      if (seen.has(id)) context.addIssue({ code: 'custom', path: [index], message: 'Duplicate' })
      seen.add(id)
    }
  })
  .meta({ uniqueItems: true })

/** The body of `POST /` (specification 4.1). */
export const createNotificationSchema = z.strictObject({ ...contentShape, recipientIds: recipientIdsSchema })
export type CreateNotification = z.infer<typeof createNotificationSchema>

/** The headers that `POST /` validates. */
export const createNotificationHeadersSchema = z.object({
  'idempotency-key': z
    .string()
    .min(1, { error: 'Must not be empty' })
    .max(limits.idempotencyKeyCharacters, { error: `Must have at most ${limits.idempotencyKeyCharacters} characters` })
    .optional()
    .meta({
      description:
        'Chosen by the caller; a retry with the same key and body within 24 hours gets the first response again',
    }),
})

const timestampOutput = z.string().meta({ format: 'date-time', examples: ['2026-01-31T09:30:00Z'] })
const uuidOutput = z.string().meta({ format: 'uuid' })

export const actorSchema = z.object({
  id: uuidOutput,
  name: textSchema(limits.nameCharacters),
  image: textSchema(limits.imageCharacters),
})
export type Actor = z.infer<typeof actorSchema>

const notificationShape = {
  id: uuidOutput,
  subscriberId: uuidOutput,
  type: z.enum(notificationTypes),
  actorId: uuidOutput,
  actorType: z.enum(actorTypes),
  subjectId: uuidOutput,
  subjectType: z.enum(subjectTypes),
  locationId: uuidOutput,
  locationType: z.enum(locationTypes),
  metadata: metadataSchema,
  createdAt: timestampOutput,
  updatedAt: timestampOutput,
  actor: actorSchema,
}

/** When the recipient read the notification and when an e-mail about it was sent; `null` until then. */
const receiptsShape = { readAt: timestampOutput.nullable(), emailSentAt: timestampOutput.nullable() }

/** A notification for one recipient (specification 2.2). */
export const notificationSchema = z.object({ ...notificationShape, ...receiptsShape })
export type Notification = z.infer<typeof notificationSchema>

/** A created notification with all its recipients (specification 2.1). */
export const createdNotificationSchema = z.object({
  ...notificationShape,
  recipients: z.array(z.object({ recipientId: uuidOutput, ...receiptsShape })),
})
export type CreatedNotification = z.infer<typeof createdNotificationSchema>

/** A notification without recipients, as it is announced. */
export const announcedNotificationSchema = z.object({ ...notificationShape, metadata: eventMetadataSchema })
export type AnnouncedNotification = z.infer<typeof announcedNotificationSchema>

/** A notification of one recipient, as it is announced. */
export const announcedForRecipientSchema = announcedNotificationSchema.extend(receiptsShape)

/** The response of the operations on one notification. */
export const notificationAnswerSchema = z.object({ data: notificationSchema })

/** The response of `POST /`. */
export const createdNotificationAnswerSchema = z.object({ data: createdNotificationSchema })
