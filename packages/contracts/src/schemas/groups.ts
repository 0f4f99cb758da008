import { z } from 'zod'
import { limits } from '../base/limits.ts'
import { locationTypes } from '../base/values.ts'
import { pageLimitSchema, readStatusSchema } from './list-notifications.ts'
import { actorSchema, notificationSchema } from './notification.ts'
import { uuidOutput } from './outputs.ts'

/** Two ids, all there was in earlier releases, and the groups that were returned, each as 4 to 6 characters. */
const cursorForm = /^[\w-]{43}(?:[4-6][\w-]*)?$/

/** The query of `GET /notifications/groups`. The cursor is opaque. */
export const listGroupsQuerySchema = z.strictObject({
  limit: pageLimitSchema(limits.groupsMax),
  cursor: z
    .string()
    .max(limits.groupCursorCharacters)
    .regex(cursorForm, { error: 'Must be a nextCursor' })
    .optional()
    .meta({
      description: `The \`nextCursor\` of the previous page, at most ${limits.groupCursorCharacters} characters`,
    }),
  status: readStatusSchema,
})

const countSchema = z.int().nonnegative()

/** The notifications of one location. */
export const groupSchema = z.object({
  locationType: z.enum(locationTypes),
  locationId: uuidOutput,
  latest: notificationSchema,
  count: countSchema,
  unreadCount: countSchema,
  actors: z.array(actorSchema).meta({ description: 'Actors of the newest notifications, each once' }),
  otherActors: countSchema.meta({ description: 'How many more there are' }),
})

export const groupPageSchema = z.object({
  data: z.object({
    groups: z.array(groupSchema),
    nextCursor: z.string().nullable(),
    truncated: z
      .boolean()
      .meta({ description: `Whether more than the newest ${limits.groupedNotifications} notifications match` }),
  }),
})
