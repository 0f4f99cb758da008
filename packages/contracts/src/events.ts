import type { z } from 'zod'
import { deriveEventId } from './derive-event-id.ts'
import {
  changeRecordedSchema,
  mentionCreatedSchema,
  mentionRetractedSchema,
  personErasedSchema,
  receiptSchema,
} from './event-data.ts'
import { examples } from './examples.ts'
import { eventTypes } from './topics.ts'

/** The kind of events that a topic carries. */
export type TopicKind = 'mention' | 'change' | 'receipt' | 'privacy'

/** An event that Herald consumes: its topic, its data schema and examples. */
export type EventDescription = {
  readonly type: string
  readonly topic: TopicKind
  readonly title: string
  readonly summary: string
  readonly data: z.ZodType
  /** Complete events (attributes and data), by name. */
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
// The receipts refer to the mention below, so that all examples can be published one after another.
const mentionIdentity = { subscriberId, source: '/comments', id: 'comment-17', time: Date.parse(createdAt) }
const retracted = { notificationId: deriveEventId({ ...mentionIdentity, id: 'comment-16' }) }
const receipt = { notificationId: deriveEventId(mentionIdentity), recipientId: createNotification.recipientIds[0] }

/** Complete events in structured mode. */
export const eventExamples = {
  mention: { ...attributes('comment-17', '/comments', eventTypes.mentionCreated), data: { actor, ...mention } },
  retraction: { ...attributes('comment-16-deleted', '/comments', eventTypes.mentionRetracted), data: retracted },
  editedOut: {
    ...attributes('comment-15-edited', '/comments', eventTypes.mentionRetracted),
    data: {
      locationType: 'comment',
      locationId: '3d813cbb-47fb-42ba-91df-831e1593ac29',
      recipientIds: createNotification.recipientIds,
    },
  },
  change: { ...attributes(entryId, '/portfolios', eventTypes.changeRecorded), data: change },
  creation: {
    ...attributes('portfolio-2-created', '/portfolios', eventTypes.changeRecorded),
    data: { ...change, entityId: 'p-2', actionType: 'create', changedField: '', beforeState: null },
  },
  emailSent: { ...attributes('mail-4711', '/mailer', eventTypes.emailSent), data: receipt },
  read: { ...attributes('opened-4711', '/mailer', eventTypes.notificationRead), data: receipt },
  erasure: {
    ...attributes('account-99-deleted', '/accounts', eventTypes.personErased),
    data: { personId: 'd9428888-122b-41e1-b85c-61cd3cbb3210' },
  },
} as const

/**
 * Every event that Herald consumes. The AsyncAPI document, the types of the publisher and the handlers of ingest are derived
 * from this table or checked against it by the compiler.
 */
export const events = {
  mentionCreated: {
    type: eventTypes.mentionCreated,
    topic: 'mention',
    title: 'Mention created',
    summary: 'Creates a notification for each recipient.',
    data: mentionCreatedSchema,
    examples: { mention: eventExamples.mention },
  },
  mentionRetracted: {
    type: eventTypes.mentionRetracted,
    topic: 'mention',
    title: 'Mention retracted',
    summary:
      'Removes a notification from the feeds of its recipients, or only from those of `recipientIds`. Names it by `notificationId`, or all of a location that are not newer than the event’s `time`. Retracted notifications stay away if their events are delivered later or again.',
    data: mentionRetractedSchema,
    examples: { retraction: eventExamples.retraction, editedOut: eventExamples.editedOut },
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
  personErased: {
    type: eventTypes.personErased,
    topic: 'privacy',
    title: 'Person erased',
    summary:
      'Erases a person of the subscriber up to the event’s `time`: deletes their feed, and replaces them as an actor, a subject and the user of change entries by a stable pseudonym with empty texts. Events that are delivered later or again are masked in the same way.',
    data: personErasedSchema,
    examples: { erasure: eventExamples.erasure },
  },
} as const satisfies Record<string, EventDescription>

/** The name of an event in {@link events}. */
export type EventName = keyof typeof events
/** The CloudEvents type of an event in {@link events}. */
export type EventType = (typeof events)[EventName]['type']
/** The data that a publisher passes for each event, by its CloudEvents type. */
export type EventDataInput = {
  [Name in EventName as (typeof events)[Name]['type']]: z.input<(typeof events)[Name]['data']>
}
