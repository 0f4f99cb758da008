import { z } from 'zod'
import {
  notificationCreatedSchema,
  notificationRetractedSchema,
  notificationUnreadSchema,
} from './announced-event-data.ts'
import { cloudEventAttributesSchema } from './cloud-event.ts'
import { examples } from './examples.ts'
import { announcedTypes } from './topics.ts'

const { recipients, ...announced } = examples.createdNotification.data
const { id, subscriberId, createdAt, locationId, locationType } = announced
const recipientIds = recipients.map(({ recipientId }) => recipientId)
const [recipientId] = recipientIds

const attributes = (eventId: string, type: string, time: string = createdAt) => ({
  ...{ specversion: '1.0', id: eventId, source: '/herald', type, time, subscriberid: subscriberId },
  datacontenttype: 'application/json',
})

/** Every event that Herald sends. */
export const announcedEvents = {
  notificationCreated: {
    type: announcedTypes.notificationCreated,
    title: 'Notification created',
    summary: 'A notification is stored and can be read, by each recipient.',
    data: notificationCreatedSchema,
    examples: {
      created: {
        ...attributes(`${id}/1`, announcedTypes.notificationCreated),
        data: { notification: announced, recipientIds, part: 1, parts: 1 },
      },
    },
  },
  notificationUnread: {
    type: announcedTypes.notificationUnread,
    title: 'Notifications still unread',
    summary:
      'A recipient has not read notifications of one location for the configured time. Each notification is announced as unread at most once.',
    data: notificationUnreadSchema,
    examples: {
      unread: {
        ...attributes(`${recipientId}/${id}/unread`, announcedTypes.notificationUnread, '2026-01-31T09:45:00Z'),
        data: {
          ...{ recipientId, locationType, locationId, notificationIds: [id], total: 1, unreadCount: 1 },
          latest: examples.notification.data,
        },
      },
    },
  },
  notificationRetracted: {
    type: announcedTypes.notificationRetracted,
    title: 'Notification retracted',
    summary:
      'A notification was retracted from recipients, who can no longer read it. If its creation is delivered later, it is obsolete for them.',
    data: notificationRetractedSchema,
    examples: {
      retracted: {
        ...attributes(
          `${id}/retracted/019c12e2-4c80-7d1a-9b21-5f0e3c6a7b81/1`,
          announcedTypes.notificationRetracted,
          '2026-01-31T09:45:30Z',
        ),
        data: { notificationId: id, recipientIds, part: 1, parts: 1 },
      },
    },
  },
} as const

/** The name of an event in {@link announcedEvents}. */
export type AnnouncedEventName = keyof typeof announcedEvents
/** The CloudEvents type of an event in {@link announcedEvents}. */
export type AnnouncedEventType = (typeof announcedEvents)[AnnouncedEventName]['type']

const eventOf = <Type extends string, Data extends z.ZodType>({
  type,
  data,
}: {
  readonly type: Type
  readonly data: Data
}) => cloudEventAttributesSchema.extend({ type: z.literal(type), data })

/** A complete event that Herald sends: attributes and data. Unknown attributes and fields are dropped. */
export const announcedEventSchema = z.discriminatedUnion('type', [
  eventOf(announcedEvents.notificationCreated),
  eventOf(announcedEvents.notificationUnread),
  eventOf(announcedEvents.notificationRetracted),
])
export type AnnouncedEvent = z.infer<typeof announcedEventSchema>
