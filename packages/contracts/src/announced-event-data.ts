import { z } from 'zod'
import { limits } from './limits.ts'
import { announcedForRecipientSchema, announcedNotificationSchema } from './notification.ts'
import { uuidSchema } from './uuid.ts'
import { locationTypes } from './values.ts'

const recipientIdsSchema = z
  .array(uuidSchema)
  .max(limits.announcedRecipients)
  .meta({ description: 'In ascending order; those from whom it was retracted meanwhile are left out' })

const partShape = {
  part: z.int().min(1).meta({ description: 'The number of this part, from 1' }),
  parts: z
    .int()
    .min(1)
    .meta({
      description: `The number of parts. All recipients that the event named, sorted, are divided into parts of ${limits.announcedRecipients}; a part may be empty`,
    }),
}

/** The data of `herald.notification.created.v1`. */
export const notificationCreatedSchema = z.object({
  notification: announcedNotificationSchema,
  recipientIds: recipientIdsSchema,
  ...partShape,
})
export type NotificationCreated = z.infer<typeof notificationCreatedSchema>

/** The data of `herald.notification.unread.v1`. */
export const notificationUnreadSchema = z.object({
  recipientId: uuidSchema,
  locationType: z.enum(locationTypes),
  locationId: uuidSchema,
  notificationIds: z
    .array(uuidSchema)
    .min(1)
    .max(limits.announcedIds)
    .meta({ description: `Announced as unread for the first time, newest first; the newest ${limits.announcedIds}` }),
  total: z.int().min(1).meta({ description: 'The number of notifications that are announced as unread' }),
  unreadCount: z
    .int()
    .min(1)
    .meta({ description: 'The unread notifications of the recipient at this location, including earlier ones' }),
  latest: announcedForRecipientSchema.meta({ description: 'The newest of them' }),
})
export type NotificationUnread = z.infer<typeof notificationUnreadSchema>

/** The data of `herald.notification.retracted.v1`. */
export const notificationRetractedSchema = z.object({
  notificationId: uuidSchema,
  recipientIds: recipientIdsSchema,
  ...partShape,
})
export type NotificationRetracted = z.infer<typeof notificationRetractedSchema>
