import { z } from 'zod'
import { limits } from '../base/limits.ts'
import { timestampSchema } from '../base/timestamp.ts'
import { uuidSchema } from '../base/uuid.ts'
import { locationTypes, notificationTypes } from '../base/values.ts'
import { notificationSchema } from './notification.ts'

export const pageLimitSchema = z
  .string()
  .regex(/^[1-9][0-9]{0,2}$/, { error: `Must be a whole number from 1 to ${limits.pageMax}` })
  .transform(Number)
  .refine((limit) => limit <= limits.pageMax, { error: `Must be at most ${limits.pageMax}` })
  .default(limits.pageDefault)
  .meta({ wireSchema: { type: 'integer', minimum: 1, maximum: limits.pageMax, default: limits.pageDefault } })

const readStatuses = ['all', 'unread', 'read'] as const
export type ReadStatus = (typeof readStatuses)[number]

/** The query of `GET /`. Filters are combined with AND. */
export const listNotificationsQuerySchema = z.strictObject({
  limit: pageLimitSchema,
  cursor: uuidSchema.optional(),
  status: z.enum(readStatuses).default('all'),
  type: z.enum(notificationTypes).optional(),
  locationType: z.enum(locationTypes).optional(),
  locationId: uuidSchema.optional(),
  subjectId: uuidSchema.optional(),
  createdFrom: timestampSchema.optional(),
  createdTo: timestampSchema.optional(),
})
export type ListNotificationsQuery = z.infer<typeof listNotificationsQuerySchema>

export const notificationParamsSchema = z.strictObject({ notificationId: uuidSchema })

/** The response of `GET /` (specification 4.2). */
export const notificationPageSchema = z.object({
  data: z.object({
    notifications: z.array(notificationSchema),
    nextCursor: z.string().meta({ format: 'uuid' }).nullable(),
  }),
})
