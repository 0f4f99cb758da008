import { z } from 'zod'
import type { JsonValue } from '../base/json-safety.ts'
import { limits } from '../base/limits.ts'
import { textSchema } from '../base/text.ts'
import { uuidSchema } from '../base/uuid.ts'
import { locationTypes } from '../base/values.ts'
import { examples } from '../schemas/examples.ts'
import { eventMetadataSchema } from '../schemas/metadata.ts'
import { givenShape } from '../schemas/notification.ts'
import { deriveEventId } from './derive-event-id.ts'

/** Default names of the consumed topics and of the dead-letter topic, and the usual name of the topic of announcements. */
export const defaultTopics = {
  mention: 'mention-events',
  change: 'change-events',
  receipt: 'receipt-events',
  privacy: 'privacy-events',
  deadLetter: 'herald-dead-letter',
  notification: 'notification-events',
} as const

export type TopicKind = 'mention' | 'change' | 'receipt' | 'privacy'

/** An event that Herald consumes: its topic, its data schema and examples. */
export type EventDescription = {
  /** The CloudEvents type with its major version. */
  readonly type: string
  readonly topic: TopicKind
  readonly title: string
  readonly summary: string
  readonly data: z.ZodType
  readonly examples: Readonly<Record<string, Example>>
}

/** The parts of an example in which it differs from others; `exampleEvents` adds the rest. */
type Example = { readonly id: string; readonly source: string; readonly time?: string; readonly data: object }

const eventRecipientIdsSchema = z
  .array(uuidSchema)
  .min(1, { error: 'Must name at least one recipient' })
  .transform((ids) => [...new Set(ids)])
  .refine((ids) => ids.length <= limits.eventRecipients, {
    error: `Must name at most ${limits.eventRecipients} recipients`,
  })
  .meta({ description: `At most ${limits.eventRecipients}; duplicates are ignored` })

/** The data of `herald.mention.created.v1`. Unknown fields and duplicate recipients are ignored. */
const mentionCreatedSchema = z.compile(
  z.object({
    actor: z.object({
      id: uuidSchema,
      name: textSchema(limits.nameCharacters),
      image: textSchema(limits.imageCharacters),
    }),
    ...givenShape,
    metadata: eventMetadataSchema,
    recipientIds: eventRecipientIdsSchema,
  }),
)

/** The data of `herald.mention.retracted.v1`: a notification or a location. Unknown fields and repeated ids are ignored. */
const mentionRetractedSchema = z
  .object({
    notificationId: uuidSchema.optional(),
    locationType: z.enum(locationTypes).optional(),
    locationId: uuidSchema.optional(),
    recipientIds: eventRecipientIdsSchema.optional(),
  })
  .superRefine(({ notificationId, locationType, locationId }, context) => {
    const add = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
    if (notificationId === undefined) {
      if (locationType === undefined && locationId === undefined) add([], 'Must name a notification or a location')
      else if (locationType === undefined) add(['locationType'], 'Required with locationId')
      else if (locationId === undefined) add(['locationId'], 'Required with locationType')
    } else if (locationType !== undefined || locationId !== undefined) {
      add([], 'Must name either a notification or a location')
    }
  })
  .meta({
    oneOf: [{ required: ['notificationId'] }, { required: ['locationType', 'locationId'] }],
  })

/** Any JSON value, `null` if absent. Passed on by reference, because zod's copy would drop or reorder keys. */
const stateSchema = z
  .custom<JsonValue | undefined>()
  .optional()
  .transform((state): JsonValue => state ?? null)
  .meta({ description: 'Any JSON value; `null` if absent' })

/** The data of `herald.change.recorded.v1`. Unknown fields are ignored. */
const changeRecordedSchema = z.compile(
  z.object({
    user: z.object({ id: uuidSchema, name: textSchema(limits.nameCharacters), email: z.string() }),
    entityType: z.string(),
    entityId: z.string(),
    entityTitle: z.string(),
    actionType: z.string(),
    changedField: z.string(),
    beforeState: stateSchema,
    afterState: stateSchema,
  }),
)

/** The data of `herald.email.sent.v1` and `herald.notification.read.v1`, which happened at the event's `time`. */
const receiptSchema = z.object({ notificationId: uuidSchema, recipientId: uuidSchema })

/** The data of `herald.person.erased.v1`. Unknown fields are ignored. */
const personErasedSchema = z.object({ personId: uuidSchema })

const { createNotification, changeEntries, notification } = examples
const { type: _, ...mention } = createNotification
const { id: entryId, createdAt, ...change } = changeEntries.data[0]
const { actor, subscriberId } = notification.data

// The receipts refer to the mention below, so that all examples can be published one after another.
const mentionIdentity = { subscriberId, source: '/comments', id: 'comment-17', time: Date.parse(createdAt) }
const retracted = { notificationId: deriveEventId({ ...mentionIdentity, id: 'comment-16' }) }
const receipt = { notificationId: deriveEventId(mentionIdentity), recipientId: createNotification.recipientIds[0] }

/**
 * Every event that Herald consumes. The AsyncAPI document, the types of the publisher and the handlers of ingest are derived
 * from this table or checked against it by the compiler.
 */
export const events = {
  mentionCreated: {
    type: 'herald.mention.created.v1',
    topic: 'mention',
    title: 'Mention created',
    summary: 'Creates a notification for each recipient.',
    data: mentionCreatedSchema,
    examples: {
      mention: { id: 'comment-17', source: '/comments', data: { actor, ...mention } },
    },
  },
  mentionRetracted: {
    type: 'herald.mention.retracted.v1',
    topic: 'mention',
    title: 'Mention retracted',
    summary:
      'Removes a notification from the feeds of its recipients, or only from those of `recipientIds`. Names it by `notificationId`, or all of a location that are not newer than the event’s `time`. Retracted notifications stay away if their events are delivered later or again.',
    data: mentionRetractedSchema,
    examples: {
      retraction: { id: 'comment-16-deleted', source: '/comments', data: retracted },
      editedOut: {
        id: 'comment-15-edited',
        source: '/comments',
        data: {
          locationType: 'comment',
          locationId: '3d813cbb-47fb-42ba-91df-831e1593ac29',
          recipientIds: createNotification.recipientIds,
        },
      },
    },
  },
  changeRecorded: {
    type: 'herald.change.recorded.v1',
    topic: 'change',
    title: 'Change recorded',
    summary: 'Adds an entry to the subscriber’s change log.',
    data: changeRecordedSchema,
    examples: {
      change: { id: entryId, source: '/portfolios', data: change },
      creation: {
        id: 'portfolio-2-created',
        source: '/portfolios',
        data: { ...change, entityId: 'p-2', actionType: 'create', changedField: '', beforeState: null },
      },
    },
  },
  emailSent: {
    type: 'herald.email.sent.v1',
    topic: 'receipt',
    title: 'E-mail sent to a recipient',
    summary: 'Sets `emailSentAt` to the event’s `time`; the earliest of several events wins.',
    data: receiptSchema,
    examples: { emailSent: { id: 'mail-4711', source: '/mailer', data: receipt } },
  },
  notificationRead: {
    type: 'herald.notification.read.v1',
    topic: 'receipt',
    title: 'Notification read elsewhere',
    summary: 'Sets `readAt` to the event’s `time`, unless the recipient changed the read state after that time.',
    data: receiptSchema,
    examples: { read: { id: 'opened-4711', source: '/mailer', data: receipt } },
  },
  personErased: {
    type: 'herald.person.erased.v1',
    topic: 'privacy',
    title: 'Person erased',
    summary:
      'Erases a person of the subscriber up to the event’s `time`: deletes their feed, and replaces them as an actor, a subject and the user of change entries by a stable pseudonym with empty texts. Events that are delivered later or again are masked in the same way.',
    data: personErasedSchema,
    examples: {
      erasure: {
        id: 'account-99-deleted',
        source: '/accounts',
        data: { personId: 'd9428888-122b-41e1-b85c-61cd3cbb3210' },
      },
    },
  },
} as const satisfies Record<string, EventDescription>

export function exampleEvents({ type, examples: given }: Pick<EventDescription, 'type' | 'examples'>) {
  const complete = ({ id, source, time = createdAt, data }: Example) => ({
    specversion: '1.0',
    id,
    source,
    type,
    time,
    subscriberid: subscriberId,
    datacontenttype: 'application/json',
    data,
  })
  return Object.fromEntries(Object.entries(given).map(([name, example]) => [name, complete(example)]))
}

export type EventName = keyof typeof events
export type EventType = (typeof events)[EventName]['type']
/** The data that a publisher passes for each event, by its CloudEvents type. */
export type EventDataInput = {
  [Name in EventName as (typeof events)[Name]['type']]: z.input<(typeof events)[Name]['data']>
}
