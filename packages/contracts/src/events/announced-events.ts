import { z } from 'zod'
import { limits } from '../base/limits.ts'
import { uuidSchema } from '../base/uuid.ts'
import { locationTypes } from '../base/values.ts'
import { examples } from '../schemas/examples.ts'
import { announcedForRecipientSchema, announcedNotificationSchema } from '../schemas/notification.ts'
import { cloudEventAttributesSchema } from './cloud-event.ts'
import type { EventDescription } from './events.ts'

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

const notificationCreatedSchema = z.object({
  notification: announcedNotificationSchema,
  recipientIds: recipientIdsSchema,
  ...partShape,
})

const notificationUnreadSchema = z.object({
  recipientId: uuidSchema,
  locationType: z.enum(locationTypes).nullable().meta({ description: 'As `locationId`' }),
  locationId: uuidSchema.nullable().meta({
    description:
      '`null` in the last one of a recipient and clock hour, which has all that was due beyond the others, whatever its location',
  }),
  notificationIds: z
    .array(uuidSchema)
    .min(1)
    .max(limits.announcedIds)
    .meta({ description: `Announced as unread for the first time, newest first; the newest ${limits.announcedIds}` }),
  total: z.int().min(1).meta({ description: 'The number of notifications that are announced as unread' }),
  unreadCount: z.int().min(1).meta({
    description:
      'The unread notifications of the recipient at this location, including earlier ones; at least so many if the recipient and the location each have thousands, or without a location',
  }),
  latest: announcedForRecipientSchema.meta({ description: 'The newest of them' }),
})

const notificationRetractedSchema = z.object({
  notificationId: uuidSchema,
  recipientIds: recipientIdsSchema,
  ...partShape,
})

const { recipients, ...announced } = examples.createdNotification.data
const { id, locationId, locationType } = announced
const recipientIds = recipients.map(({ recipientId }) => recipientId)
const [recipientId] = recipientIds

const source = '/herald'

export const announcedEvents = {
  notificationCreated: {
    type: 'herald.notification.created.v1',
    title: 'Notification created',
    summary: 'A notification is stored and can be read, by each recipient.',
    data: notificationCreatedSchema,
    examples: {
      created: {
        id: `${id}/1`,
        source,
        data: { notification: announced, recipientIds, part: 1, parts: 1 },
      },
    },
  },
  notificationUnread: {
    type: 'herald.notification.unread.v1',
    title: 'Notifications still unread',
    summary:
      'A recipient has not read notifications of one location for the configured time. Each notification is announced as unread at most once, and a recipient gets a limited number in a clock hour (UTC, of `time`).',
    data: notificationUnreadSchema,
    examples: {
      unread: {
        id: `${recipientId}/${id}/unread`,
        source,
        time: '2026-01-31T09:45:00Z',
        data: {
          recipientId,
          locationType,
          locationId,
          notificationIds: [id],
          total: 1,
          unreadCount: 1,
          latest: examples.notification.data,
        },
      },
    },
  },
  notificationRetracted: {
    type: 'herald.notification.retracted.v1',
    title: 'Notification retracted',
    summary:
      'A notification was retracted from recipients, who can no longer read it. If its creation is delivered later, it is obsolete for them.',
    data: notificationRetractedSchema,
    examples: {
      retracted: {
        id: `${id}/retracted/019c12e2-4c80-7d1a-9b21-5f0e3c6a7b81/1`,
        source,
        time: '2026-01-31T09:45:30Z',
        data: { notificationId: id, recipientIds, part: 1, parts: 1 },
      },
    },
  },
} as const satisfies Record<string, Omit<EventDescription, 'topic'>>

const eventOf = <Type extends string, Data extends z.ZodType>(event: { readonly type: Type; readonly data: Data }) =>
  cloudEventAttributesSchema.extend({ type: z.literal(event.type), data: event.data })

/** A complete event that Herald sends: attributes and data. Unknown attributes and fields are dropped. */
export const announcedEventSchema = z.discriminatedUnion('type', [
  eventOf(announcedEvents.notificationCreated),
  eventOf(announcedEvents.notificationUnread),
  eventOf(announcedEvents.notificationRetracted),
])
export type AnnouncedEvent = z.infer<typeof announcedEventSchema>
