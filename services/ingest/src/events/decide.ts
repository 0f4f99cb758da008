import {
  type CloudEventAttributes,
  changeRecordedSchema,
  deriveEventId,
  describeFaults,
  eventTypes,
  type FaultCode,
  headerText,
  limits,
  mentionCreatedSchema,
  type ReadEvent,
  readCloudEvent,
  readUsualChange,
  readUsualMention,
  receiptSchema,
  timeOfUuidV7,
  zodFaults,
} from '@herald/contracts'
import type { NewNotification, Receipt, ReceiptKind, StoredChangeEntry } from '@herald/store'
import type { z } from 'zod'
import type { IncomingRecord } from './incoming-record.ts'

/** What is to be done with a record, and the trace that it belongs to. */
export type Decision = Deed & { readonly traceparent?: string | undefined }

type Deed =
  | { readonly kind: 'notification'; readonly notification: NewNotification }
  | { readonly kind: 'change-entry'; readonly entry: StoredChangeEntry }
  | { readonly kind: 'receipt'; readonly receipt: Omit<Receipt, 'record'> }
  /** It has expired: stored now, it would come back from the dead. */
  | { readonly kind: 'expired' }
  | { readonly kind: 'dead-letter'; readonly code: FaultCode; readonly detail: string }

/** What a topic carries. */
export type TopicKind = 'mention' | 'change' | 'receipt'

/** The time at which records are decided, and before which nothing is kept. */
export type DecisionTimes = { readonly now: Date; readonly keepFrom?: Date | undefined }

type Event = Extract<ReadEvent, { ok: true }>

const deadLetter = (code: FaultCode, detail: string): Deed => ({ kind: 'dead-letter', code, detail })
const invalidData = (error: z.ZodError) => deadLetter('invalid_data', describeFaults(zodFaults(error), '/data'))

/** Decides a record by itself: no IO, and nothing of a record makes it throw. */
export function decide(record: IncomingRecord, kind: TopicKind, { now, keepFrom }: DecisionTimes): Decision {
  const event = readCloudEvent(record)
  if (!event.ok) return { ...deadLetter(event.code, event.detail), traceparent: traceparentHeader(record) }
  const traceparent = event.attributes.traceparent ?? traceparentHeader(record)
  const deed = decideEvent(event, kind, { now, keepFrom })
  return traceparent === undefined ? deed : { ...deed, traceparent }
}

const traceparentHeader = ({ headers }: IncomingRecord) => headerText(headers, 'traceparent')

function decideEvent(event: Event, kind: TopicKind, { now, keepFrom }: DecisionTimes): Deed {
  const { time, type } = event.attributes
  if (time > now.getTime() + limits.eventFutureMs) {
    return deadLetter('future_time', `The time is ${new Date(time).toISOString()}, more than 5 minutes ahead`)
  }
  const isExpired = (at: number | undefined) => at !== undefined && keepFrom !== undefined && at < keepFrom.getTime()
  const decideData = decisions[kind].get(type)
  if (!decideData) return deadLetter('unknown_type', `The type ${JSON.stringify(type)} does not belong on this topic`)
  const decision = decideData(event)
  if (decision.kind === 'dead-letter') return decision
  // A receipt is as old as what it is about.
  const age = decision.kind === 'receipt' ? timeOfUuidV7(decision.receipt.notificationId) : time
  return isExpired(age) ? { kind: 'expired' } : decision
}

const decisions: Readonly<Record<TopicKind, ReadonlyMap<string, (event: Event) => Deed>>> = {
  mention: new Map([[eventTypes.mentionCreated, decideMention]]),
  change: new Map([[eventTypes.changeRecorded, decideChange]]),
  receipt: new Map([
    [eventTypes.emailSent, (event: Event) => decideReceipt(event, 'email-sent')],
    [eventTypes.notificationRead, (event: Event) => decideReceipt(event, 'read')],
  ]),
}

const eventIdOf = ({ subscriberid, source, id, time }: CloudEventAttributes) =>
  deriveEventId({ subscriberId: subscriberid, source, id, time })

function identify(attributes: CloudEventAttributes) {
  const { subscriberid, time } = attributes
  return { id: eventIdOf(attributes), subscriberId: subscriberid, createdAt: new Date(time) }
}

/** The data by the schema, which is asked only for what is not as usual: see `readUsualChange`. */
function readData<T>(
  usual: T | undefined,
  schema: z.ZodType<T>,
  data: unknown,
): { data: T; fault?: never } | { fault: Deed } {
  if (usual !== undefined) return { data: usual }
  const parsed = schema.safeParse(data)
  return parsed.success ? { data: parsed.data } : { fault: invalidData(parsed.error) }
}

function decideMention({ attributes, data }: Event): Deed {
  const read = readData(readUsualMention(data), mentionCreatedSchema, data)
  if (read.fault) return read.fault
  const { id, subscriberId, createdAt } = identify(attributes)
  const { actor, actorType, subjectId, subjectType, locationId, locationType, metadata, recipientIds } = read.data
  return {
    kind: 'notification',
    notification: {
      id,
      subscriberId,
      createdAt,
      type: 'mention',
      actor,
      actorType,
      subjectId,
      subjectType,
      locationId,
      locationType,
      metadata: JSON.stringify(metadata),
      recipientIds,
    },
  }
}

function decideChange({ attributes, data }: Event): Deed {
  const read = readData(readUsualChange(data), changeRecordedSchema, data)
  if (read.fault) return read.fault
  const { id, subscriberId, createdAt } = identify(attributes)
  const { user, entityType, entityId, entityTitle, actionType, changedField, beforeState, afterState } = read.data
  return {
    kind: 'change-entry',
    entry: {
      id,
      subscriberId,
      createdAt,
      user,
      entityType,
      entityId,
      entityTitle,
      actionType,
      changedField,
      beforeState: JSON.stringify(beforeState),
      afterState: JSON.stringify(afterState),
    },
  }
}

function decideReceipt({ attributes, data }: Event, kind: ReceiptKind): Deed {
  const parsed = receiptSchema.safeParse(data)
  if (!parsed.success) return invalidData(parsed.error)
  const { subscriberid: subscriberId, time } = attributes
  const receipt = { subscriberId, ...parsed.data, kind, at: new Date(time), eventId: eventIdOf(attributes) }
  return { kind: 'receipt', receipt }
}
