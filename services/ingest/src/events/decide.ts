import {
  type CloudEventAttributes,
  changeRecordedSchema,
  type DeadLetterReason,
  deriveEventId,
  describeIssues,
  type EventName,
  events,
  headerText,
  limits,
  mentionCreatedSchema,
  mentionRetractedSchema,
  personErasedSchema,
  type ReadEvent,
  readCloudEvent,
  readUsualChange,
  readUsualMention,
  receiptSchema,
  type TopicKind,
  timeOfUuidV7,
  toValidationIssues,
} from '@herald/contracts'
import type { Erasure, NewNotification, Receipt, ReceiptKind, Retraction, StoredChangeEntry } from '@herald/store'
import type { z } from 'zod'
import type { IncomingRecord } from './incoming-record.ts'

/** How to process a record, and the trace it belongs to. */
export type Decision = Outcome & { readonly traceparent?: string | undefined }

type Outcome =
  | { readonly kind: 'notification'; readonly notification: NewNotification }
  | { readonly kind: 'retraction'; readonly retraction: Retraction }
  | { readonly kind: 'erasure'; readonly erasure: Erasure }
  | { readonly kind: 'change-entry'; readonly entry: StoredChangeEntry }
  | { readonly kind: 'receipt'; readonly receipt: Omit<Receipt, 'record'> }
  /** The entries of one captured change. */
  | { readonly kind: 'change-entries'; readonly entries: readonly StoredChangeEntry[] }
  /** A record of a captured table that makes no entry. */
  | { readonly kind: 'skipped' }
  /** Past the retention period: storing it would resurrect an expired document. */
  | { readonly kind: 'expired' }
  | { readonly kind: 'dead-letter'; readonly code: DeadLetterReason; readonly detail: string }

/** The current time, and the time before which events have expired. */
export type DecisionTimes = { readonly now: Date; readonly keepFrom?: Date | undefined }

type Event = Extract<ReadEvent, { ok: true }>

const deadLetter = (code: DeadLetterReason, detail: string): Outcome => ({ kind: 'dead-letter', code, detail })
const invalidData = (error: z.ZodError) =>
  deadLetter('invalid_data', describeIssues(toValidationIssues(error), '/data'))

/** Decides how to process a record. It does no IO and does not throw, whatever the record contains. */
export function decide(record: IncomingRecord, kind: TopicKind, { now, keepFrom }: DecisionTimes): Decision {
  const { readFailure } = record
  if (readFailure) return deadLetter(readFailure.code, readFailure.detail)
  const event = readCloudEvent(record)
  if (!event.ok) return { ...deadLetter(event.code, event.detail), traceparent: traceparentHeader(record) }
  const traceparent = event.attributes.traceparent ?? traceparentHeader(record)
  const outcome = decideEvent(event, kind, { now, keepFrom })
  return traceparent === undefined ? outcome : { ...withTraceparent(outcome, traceparent), traceparent }
}

/** Later announcements belong to the same trace. */
function withTraceparent(outcome: Outcome, traceparent: string): Outcome {
  if (outcome.kind === 'notification') return { ...outcome, notification: { ...outcome.notification, traceparent } }
  if (outcome.kind === 'retraction') return { ...outcome, retraction: { ...outcome.retraction, traceparent } }
  return outcome
}

const traceparentHeader = ({ headers }: IncomingRecord) => headerText(headers, 'traceparent')

function decideEvent(event: Event, kind: TopicKind, { now, keepFrom }: DecisionTimes): Outcome {
  const { time, type } = event.attributes
  if (time > now.getTime() + limits.eventFutureMs) {
    return deadLetter('future_time', `The time is ${new Date(time).toISOString()}, more than 5 minutes ahead`)
  }
  const isExpired = (at: number | undefined) => at !== undefined && keepFrom !== undefined && at < keepFrom.getTime()
  const decideData = decisions[kind].get(type)
  if (!decideData) return deadLetter('unknown_type', `The type ${JSON.stringify(type)} does not belong on this topic`)
  const decision = decideData(event, now)
  if (decision.kind === 'dead-letter') return decision
  return isExpired(newestConcerned(decision, time)) ? { kind: 'expired' } : decision
}

type DecideData = (event: Event, now: Date) => Outcome

/** The time of the newest notification that an event concerns: a receipt or a retraction expires with that. */
function newestConcerned(decision: Outcome, time: number): number | undefined {
  if (decision.kind === 'receipt') return timeOfUuidV7(decision.receipt.notificationId)
  if (decision.kind !== 'retraction') return time
  const { target } = decision.retraction
  return 'notificationId' in target ? timeOfUuidV7(target.notificationId) : time + limits.retractionClockMs
}

// The compiler requires an entry for every event of the contract.
const decisionsByName: Readonly<Record<EventName, DecideData>> = {
  mentionCreated: decideMention,
  mentionRetracted: decideRetraction,
  changeRecorded: decideChange,
  emailSent: (event) => decideReceipt(event, 'email-sent'),
  notificationRead: (event) => decideReceipt(event, 'read'),
  personErased: decideErasure,
}

const decisions: Readonly<Record<TopicKind, Map<string, DecideData>>> = {
  mention: new Map(),
  change: new Map(),
  receipt: new Map(),
  privacy: new Map(),
}
for (const name of Object.keys(events) as EventName[]) {
  decisions[events[name].topic].set(events[name].type, decisionsByName[name])
}

const eventIdOf = ({ subscriberid, source, id, time }: CloudEventAttributes) =>
  deriveEventId({ subscriberId: subscriberid, source, id, time })

function identify(attributes: CloudEventAttributes) {
  const { subscriberid, time } = attributes
  return { id: eventIdOf(attributes), subscriberId: subscriberid, createdAt: new Date(time) }
}

/** Parses data with the schema unless the fast path has read it already: see `readUsualChange`. */
function readData<T>(
  usual: T | undefined,
  schema: z.ZodType<T>,
  data: unknown,
): { data: T; rejection?: never } | { rejection: Outcome } {
  if (usual !== undefined) return { data: usual }
  const parsed = schema.safeParse(data)
  return parsed.success ? { data: parsed.data } : { rejection: invalidData(parsed.error) }
}

function decideMention({ attributes, data }: Event): Outcome {
  const read = readData(readUsualMention(data), mentionCreatedSchema, data)
  if (read.rejection) return read.rejection
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

function decideRetraction({ attributes, data }: Event, now: Date): Outcome {
  const parsed = mentionRetractedSchema.safeParse(data)
  if (!parsed.success) return invalidData(parsed.error)
  const { subscriberid: subscriberId, time } = attributes
  if (isTooFarAhead(time, now)) return tooFarAhead(time)
  const { recipientIds, notificationId, locationType = '', locationId = '' } = parsed.data
  const target = notificationId === undefined ? { locationType, locationId } : { notificationId }
  return {
    kind: 'retraction',
    retraction: { subscriberId, eventId: eventIdOf(attributes), time: new Date(time), target, recipientIds },
  }
}

function decideErasure({ attributes, data }: Event, now: Date): Outcome {
  const parsed = personErasedSchema.safeParse(data)
  if (!parsed.success) return invalidData(parsed.error)
  const { subscriberid: subscriberId, time } = attributes
  if (isTooFarAhead(time, now)) return tooFarAhead(time)
  const { personId } = parsed.data
  return { kind: 'erasure', erasure: { subscriberId, eventId: eventIdOf(attributes), time: new Date(time), personId } }
}

const isTooFarAhead = (time: number, now: Date) => time > now.getTime() + limits.retractionFutureMs
const tooFarAhead = (time: number) =>
  deadLetter('future_time', `The time is ${new Date(time).toISOString()}, more than 5 seconds ahead`)

function decideChange({ attributes, data }: Event): Outcome {
  const read = readData(readUsualChange(data), changeRecordedSchema, data)
  if (read.rejection) return read.rejection
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

function decideReceipt({ attributes, data }: Event, kind: ReceiptKind): Outcome {
  const parsed = receiptSchema.safeParse(data)
  if (!parsed.success) return invalidData(parsed.error)
  const { subscriberid: subscriberId, time } = attributes
  const receipt = { subscriberId, ...parsed.data, kind, at: new Date(time), eventId: eventIdOf(attributes) }
  return { kind: 'receipt', receipt }
}
