import { z } from 'zod'
import { limits } from '../base/limits.ts'
import { textSchema } from '../base/text.ts'
import { uuidSchema } from '../base/uuid.ts'
import { actorTypes, locationTypes, notificationTypes, subjectTypes } from '../base/values.ts'
import { eventMetadataSchema, metadataSchema } from './metadata.ts'
import { timestampOutput, uuidOutput } from './outputs.ts'

/** The fields that a request and an event have alike. */
export const givenShape = {
  actorType: z.enum(actorTypes),
  subjectId: uuidSchema,
  subjectType: z.enum(subjectTypes),
  locationId: uuidSchema,
  locationType: z.enum(locationTypes),
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
export const createNotificationSchema = z.strictObject({
  type: z.enum(notificationTypes),
  ...givenShape,
  metadata: metadataSchema,
  recipientIds: recipientIdsSchema,
})
export type CreateNotification = z.infer<typeof createNotificationSchema>

export const createNotificationHeadersSchema = z.object({
  'idempotency-key': z
    .string()
    .min(1, { error: 'Must not be empty' })
    .max(limits.idempotencyKeyCharacters, { error: `Must have at most ${limits.idempotencyKeyCharacters} characters` })
    .optional()
    .meta({
      description: `Chosen by the caller, 1 to ${limits.idempotencyKeyCharacters} characters; a retry with the same key and body within 24 hours gets the first response again`,
    }),
})

/** The headers that `GET /notifications/stream` validates. Any id is accepted; for an unknown one the stream sends `reset`. */
export const streamHeadersSchema = z.object({
  'last-event-id': z
    .string()
    .optional()
    .meta({ description: 'The id of the last event received; the stream resumes after it' }),
})

export const streamQuerySchema = z.strictObject({
  lastEventId: z.string().optional().meta({
    description: 'In place of the header `Last-Event-ID`, for libraries that cannot set one; the header wins',
  }),
})

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
export const notificationSchema = z.object({
  ...notificationShape,
  ...receiptsShape,
  archivedAt: timestampOutput.optional().meta({ description: 'Only of archived notifications' }),
  mutedAt: timestampOutput
    .optional()
    .meta({ description: 'Only of notifications that were muted when they were stored' }),
})
export type Notification = z.infer<typeof notificationSchema>

/** A created notification with all its recipients (specification 2.1). */
export const createdNotificationSchema = z.object({
  ...notificationShape,
  recipients: z.array(z.object({ recipientId: uuidOutput, ...receiptsShape })),
})
export type CreatedNotification = z.infer<typeof createdNotificationSchema>

/** A notification without recipients, as it is announced. */
export const announcedNotificationSchema = z.object({ ...notificationShape, metadata: eventMetadataSchema })

/** A notification of one recipient, as it is announced. */
export const announcedForRecipientSchema = announcedNotificationSchema.extend(receiptsShape)

export const notificationResponseSchema = z.object({ data: notificationSchema })

export const createdNotificationResponseSchema = z.object({ data: createdNotificationSchema })
