import type { z } from 'zod'
import { changeRecordedSchema, mentionCreatedSchema, receiptSchema } from './event-data.ts'
import { deriveEventId } from './event-id.ts'
import { examples } from './examples.ts'
import { eventTypes } from './topics.ts'

/** What a topic carries. */
export type TopicKind = 'mention' | 'change' | 'receipt'

/** An event that Herald takes: where it goes, what its data are, and what they may look like. */
export type EventDescription = {
  readonly type: string
  readonly topic: TopicKind
  readonly title: string
  readonly summary: string
  readonly data: z.ZodType
  /** The attributes and data of whole events, by names. */
  readonly examples: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const { createNotification, changeEntries, notification } = examples
const { type: _, ...mention } = createNotification
const { id: entryId, createdAt, ...change } = changeEntries.data[0]
const { actor, subscriberId } = notification.data

const attributes = (id: string, source: string, type: string) => ({
  ...{ specversion: '1.0', id, source, type, time: createdAt, subscriberid: subscriberId },
  datacontenttype: 'application/json',
})
// Of the mention below, so that all of them can be published one after the other.
const mentionIdentity = { subscriberId, source: '/comments', id: 'comment-17', time: Date.parse(createdAt) }
const receipt = { notificationId: deriveEventId(mentionIdentity), recipientId: createNotification.recipientIds[0] }

/** Whole events, in structured mode. */
export const eventExamples = {
  mention: { ...attributes('comment-17', '/comments', eventTypes.mentionCreated), data: { actor, ...mention } },
  change: { ...attributes(entryId, '/portfolios', eventTypes.changeRecorded), data: change },
  creation: {
    ...attributes('portfolio-2-created', '/portfolios', eventTypes.changeRecorded),
    data: { ...change, entityId: 'p-2', actionType: 'create', changedField: '', beforeState: null },
  },
  emailSent: { ...attributes('mail-4711', '/mailer', eventTypes.emailSent), data: receipt },
  read: { ...attributes('opened-4711', '/mailer', eventTypes.notificationRead), data: receipt },
} as const

/** Every event that Herald takes. The document of the topics comes from here, and what publishers are held against. */
export const events = {
  mentionCreated: {
    type: eventTypes.mentionCreated,
    topic: 'mention',
    title: 'Mention created',
    summary: 'Creates a notification for each recipient.',
    data: mentionCreatedSchema,
    examples: { mention: eventExamples.mention },
  },
  changeRecorded: {
    type: eventTypes.changeRecorded,
    topic: 'change',
    title: 'Change recorded',
    summary: 'Adds an entry to the subscriber’s change log.',
    data: changeRecordedSchema,
    examples: { change: eventExamples.change, creation: eventExamples.creation },
  },
  emailSent: {
    type: eventTypes.emailSent,
    topic: 'receipt',
    title: 'E-mail sent to a recipient',
    summary: 'Sets `emailSentAt` to the event’s `time`; the earliest of several events wins.',
    data: receiptSchema,
    examples: { emailSent: eventExamples.emailSent },
  },
  notificationRead: {
    type: eventTypes.notificationRead,
    topic: 'receipt',
    title: 'Notification read elsewhere',
    summary: 'Sets `readAt` to the event’s `time`, unless the recipient changed the read state after that time.',
    data: receiptSchema,
    examples: { read: eventExamples.read },
  },
} as const satisfies Record<string, EventDescription>
