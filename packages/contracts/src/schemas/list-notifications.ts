import { z } from 'zod'
import { limits } from '../base/limits.ts'
import { timestampSchema } from '../base/timestamp.ts'
import { uuidSchema } from '../base/uuid.ts'
import { locationTypes, notificationTypes } from '../base/values.ts'
import { notificationSchema } from './notification.ts'
import { uuidOutput } from './outputs.ts'

export const pageLimitSchema = (max: number) =>
  z
    .string()
    .regex(/^[1-9][0-9]{0,2}$/, { error: `Must be a whole number from 1 to ${max}` })
    .transform(Number)
    .refine((limit) => limit <= max, { error: `Must be at most ${max}` })
    .default(limits.pageDefault)
    .meta({ wireSchema: { type: 'integer', minimum: 1, maximum: max, default: limits.pageDefault } })

export const readStatusSchema = z.enum(['all', 'unread', 'read']).default('all')
export type ReadStatus = z.infer<typeof readStatusSchema>

/** Whether a list contains archived notifications: none, only those, or any. */
const archivedSchema = z.enum(['false', 'true', 'any']).default('false')
export type Archived = z.infer<typeof archivedSchema>

/** The query of `GET /`. Filters are combined with AND. */
export const listNotificationsQuerySchema = z.strictObject({
  limit: pageLimitSchema(limits.pageMax),
  cursor: uuidSchema.optional(),
  status: readStatusSchema,
  type: z.enum(notificationTypes).optional(),
  locationType: z.enum(locationTypes).optional(),
  locationId: uuidSchema.optional(),
  subjectId: uuidSchema.optional(),
  createdFrom: timestampSchema.optional(),
  createdTo: timestampSchema.optional(),
  // Behind the others: generated clients have a parameter for each, in this order.
  archived: archivedSchema,
  actorId: uuidSchema.optional(),
})
export type ListNotificationsQuery = z.infer<typeof listNotificationsQuerySchema>

export const notificationParamsSchema = z.strictObject({ notificationId: uuidSchema })

/** The response of `GET /` (specification 4.2). */
export const notificationPageSchema = z.object({
  data: z.object({
    notifications: z.array(notificationSchema),
    nextCursor: uuidOutput.nullable(),
  }),
})
