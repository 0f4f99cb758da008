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
    .meta({
      wireSchema: {
        type: 'integer',
        minimum: 1,
        maximum: max,
        default: limits.pageDefault,
        description: `How many a page has at most: 1 to ${max}`,
      },
    })

const instant = 'a date-time of RFC 3339, compared with `createdAt` as it is stored, in milliseconds'

/** The period of a list. Its end is exclusive, so that periods can follow each other. */
export const periodFilters = {
  createdFrom: timestampSchema
    .optional()
    .meta({ description: `Only what was created at this time or later (inclusive): ${instant}` }),
  createdTo: timestampSchema
    .optional()
    .meta({ description: `Only what was created before this time (exclusive): ${instant}` }),
}

export const readStatusSchema = z
  .enum(['all', 'unread', 'read'])
  .default('all')
  .meta({ description: 'Only unread or only read ones: `all`, `unread` or `read`' })
export type ReadStatus = z.infer<typeof readStatusSchema>

/** Whether a list contains archived notifications: none, only those, or any. */
const archivedSchema = z
  .enum(['false', 'true', 'any'])
  .default('false')
  .meta({ description: 'Archived ones: none (`false`), only those (`true`), or with all others (`any`)' })
export type Archived = z.infer<typeof archivedSchema>

/** The query of `GET /`. Filters are combined with AND. */
export const listNotificationsQuerySchema = z.strictObject({
  limit: pageLimitSchema(limits.pageMax),
  cursor: uuidSchema.optional().meta({ description: 'The `nextCursor` of the previous page, a UUID' }),
  status: readStatusSchema,
  type: z
    .enum(notificationTypes)
    .optional()
    .meta({ description: `Only this type: ${notificationTypes.join(', ')}` }),
  locationType: z.enum(locationTypes).optional().meta({ description: 'Only at locations of this type' }),
  locationId: uuidSchema.optional().meta({ description: 'Only at the location with this UUID' }),
  subjectId: uuidSchema.optional().meta({ description: 'Only of the subject with this UUID' }),
  ...periodFilters,
  // Behind the others: generated clients have a parameter for each, in this order.
  archived: archivedSchema,
  actorId: uuidSchema.optional().meta({ description: 'Only by the actor with this UUID' }),
})
export type ListNotificationsQuery = z.infer<typeof listNotificationsQuerySchema>

export const notificationParamsSchema = z.strictObject({
  notificationId: uuidSchema.meta({ description: 'The UUID of the notification' }),
})

/** The response of `GET /` (specification 4.2). */
export const notificationPageSchema = z.object({
  data: z.object({
    notifications: z.array(notificationSchema),
    nextCursor: uuidOutput.nullable(),
  }),
})
