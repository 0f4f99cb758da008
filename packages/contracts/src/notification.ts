import { z } from 'zod'
import { limits } from './limits.ts'
import { metadataSchema } from './metadata.ts'
import { textSchema } from './text.ts'
import { uuidSchema } from './uuid.ts'
import { actorTypes, locationTypes, notificationTypes, subjectTypes } from './values.ts'

/** What a client says of a notification that it creates, recipients aside. */
const subjectAndPlace = {
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
export const createNotificationSchema = z.strictObject({ ...subjectAndPlace, recipientIds: recipientIdsSchema })
export type CreateNotification = z.infer<typeof createNotificationSchema>

/** The header fields of `POST /` that matter. */
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

const timeOut = z.string().meta({ format: 'date-time', examples: ['2026-01-31T09:30:00Z'] })
const uuidOut = z.string().meta({ format: 'uuid' })

export const actorSchema = z.object({
  id: uuidOut,
  name: textSchema(limits.nameCharacters),
  image: textSchema(limits.imageCharacters),
})
export type Actor = z.infer<typeof actorSchema>

const notificationShape = {
  id: uuidOut,
  subscriberId: uuidOut,
  type: z.enum(notificationTypes),
  actorId: uuidOut,
  actorType: z.enum(actorTypes),
  subjectId: uuidOut,
  subjectType: z.enum(subjectTypes),
  locationId: uuidOut,
  locationType: z.enum(locationTypes),
  metadata: metadataSchema,
  createdAt: timeOut,
  updatedAt: timeOut,
  actor: actorSchema,
}

/** When a recipient read the notification and was sent an e-mail about it; `null` until it happened. */
const receiptsShape = { readAt: timeOut.nullable(), emailSentAt: timeOut.nullable() }

/** A notification as its recipient sees it (specification 2.2). */
export const notificationSchema = z.object({ ...notificationShape, ...receiptsShape })
export type Notification = z.infer<typeof notificationSchema>

/** A notification as it was created, with all recipients (specification 2.1). */
export const createdNotificationSchema = z.object({
  ...notificationShape,
  recipients: z.array(z.object({ recipientId: uuidOut, ...receiptsShape })),
})
export type CreatedNotification = z.infer<typeof createdNotificationSchema>

/** The answer of the operations on one notification. */
export const notificationAnswerSchema = z.object({ data: notificationSchema })

/** The answer of `POST /`. */
export const createdNotificationAnswerSchema = z.object({ data: createdNotificationSchema })
