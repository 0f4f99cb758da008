import type { StoredChangeEntry } from '@herald/change-log'
import {
  type CloudEventAttributes,
  type DeadLetterReason,
  deriveEventId,
  describeIssues,
  type EventName,
  events,
  headerText,
  limits,
  type ReadEvent,
  readCloudEvent,
  type TopicKind,
  timeOfUuidV7,
  toMetadataText,
  toValidationIssues,
  traceparentOf,
} from '@herald/contracts'
import type { NewNotification, Receipt, ReceiptKind, Retraction } from '@herald/feed'
import type { IncomingRecord } from '@herald/kafka'
import type { Erasure } from '@herald/persons'
import type { z } from 'zod'
import type { CapturedDecision } from '../captured-changes/map/decide-captured-change.ts'
import { type DecisionTimes, latestTime } from '../clocks/latest-time.ts'
import { toRecordText } from './record-text.ts'

export type Decision = (Made[keyof Documents] | NotDue | CapturedDecision) & {
  readonly traceparent?: string | undefined
}

/** Dated ahead of all clocks, and by so little that it waits. */
type NotDue = { readonly kind: 'not-due'; readonly dueInMs: number }

export type Documents = {
  readonly erasure: Erasure
  readonly retraction: Retraction
  readonly notification: NewNotification
  readonly 'change-entries': StoredChangeEntry
  readonly receipt: Receipt
}

type Made = {
  readonly [Kind in keyof Documents]: { readonly kind: Kind; readonly documents: readonly [Documents[Kind]] }
}

type Event<Data> = {
  readonly data: Data
  readonly attributes: CloudEventAttributes
  readonly traceparent: string | undefined
  readonly record: IncomingRecord
}
type Make<Data> = (event: Event<Data>) => Made[keyof Documents]

/** The documents of each event. The compiler requires a row for every event of the contract. */
const documentsOf: { readonly [Name in EventName]: Make<z.output<(typeof events)[Name]['data']>> } = {
  mentionCreated({ attributes, data, traceparent }) {
    const metadata = toMetadataText(data.metadata)
    const made = { ...data, ...identify(attributes), type: 'mention', metadata, traceparent } as const
    return { kind: 'notification', documents: [made] }
  },
  mentionRetracted({ attributes, data, traceparent }) {
    const { notificationId, locationType = '', locationId = '', recipientIds } = data
    const target = notificationId === undefined ? { locationType, locationId } : { notificationId }
    return { kind: 'retraction', documents: [{ ...concern(attributes), target, recipientIds, traceparent }] }
  },
  changeRecorded({ attributes, data }) {
    const states = { beforeState: JSON.stringify(data.beforeState), afterState: JSON.stringify(data.afterState) }
    return { kind: 'change-entries', documents: [{ ...data, ...identify(attributes), ...states }] }
  },
  emailSent: (event) => receiptOf('email-sent', event),
  notificationRead: (event) => receiptOf('read', event),
  personErased: ({ attributes, data }) => ({ kind: 'erasure', documents: [{ ...concern(attributes), ...data }] }),
}

type Row = { readonly topic: TopicKind; readonly data: z.ZodType; readonly make: Make<unknown> }
const rows = new Map<string, Row>()
for (const name of Object.keys(events) as EventName[]) {
  const { type, topic, data } = events[name]
  rows.set(type, { topic, data, make: documentsOf[name] as Make<unknown> })
}

/** Decides how to process a record. It does no IO and does not throw, whatever the record contains. */
export function decide(record: IncomingRecord, kind: TopicKind, times: DecisionTimes): Decision {
  const { readFailure, headers } = record
  if (readFailure) return deadLetter(readFailure.code, readFailure.detail)
  const event = readCloudEvent(record)
  const own = event.ok ? event.attributes.traceparent : undefined
  const traceparent = own ?? traceparentOf(headerText(headers, 'traceparent'))
  const outcome = event.ok
    ? decideEvent(event, kind, times, { traceparent, record })
    : deadLetter(event.code, event.detail)
  return traceparent === undefined ? outcome : { ...outcome, traceparent }
}

function decideEvent(
  { attributes, data }: Extract<ReadEvent, { ok: true }>,
  kind: TopicKind,
  times: DecisionTimes,
  origin: Pick<Event<unknown>, 'traceparent' | 'record'>,
): Decision {
  const { time, type } = attributes
  const latest = latestTime(origin.record, times)
  const ahead = time - latest
  if (ahead > limits.eventFutureMs) return tooFarAhead(time)
  const row = rows.get(type)
  if (row?.topic !== kind) {
    return deadLetter('unknown_type', `The type ${JSON.stringify(type)} does not belong on this topic`)
  }
  const parsed = row.data.safeParse(data)
  if (!parsed.success) return deadLetter('invalid_data', describeIssues(toValidationIssues(parsed.error), '/data'))
  const made = row.make({ attributes, data: parsed.data, ...origin })
  const newest = newestConcerned(made, time)
  // Nothing so new is stored, and every later insert of the subscriber would look for what was retracted.
  const isById = made.kind === 'retraction' && 'notificationId' in made.documents[0].target
  if (isById && newest !== undefined && newest - latest > limits.eventFutureMs) return tooFarAhead(newest)
  const dueInMs = ahead - limits.retractionFutureMs
  if (dueInMs > 0 && (made.kind === 'retraction' || made.kind === 'erasure')) return { kind: 'not-due', dueInMs }
  const { keepFrom } = times
  return keepFrom !== undefined && newest !== undefined && newest < keepFrom.getTime() ? { kind: 'expired' } : made
}

/** The time of the newest notification that an event concerns: a receipt or a retraction expires with that. */
function newestConcerned(made: Made[keyof Documents], time: number): number | undefined {
  if (made.kind === 'receipt') return timeOfUuidV7(made.documents[0].notificationId)
  if (made.kind !== 'retraction') return time
  const { target } = made.documents[0]
  return 'notificationId' in target ? timeOfUuidV7(target.notificationId) : time + limits.retractionClockMs
}

const deadLetter = (code: DeadLetterReason, detail: string) => ({ kind: 'dead-letter', code, detail }) as const
const tooFarAhead = (time: number) =>
  deadLetter('future_time', `The time is ${new Date(time).toISOString()}, more than 5 minutes ahead of all clocks`)

const eventIdOf = ({ subscriberid, source, id, time }: CloudEventAttributes) =>
  deriveEventId({ subscriberId: subscriberid, source, id, time })

function identify(attributes: CloudEventAttributes) {
  const { subscriberid, time } = attributes
  return { id: eventIdOf(attributes), subscriberId: subscriberid, createdAt: new Date(time) }
}

/** The identity of an event that concerns what was created until its time. */
function concern(attributes: CloudEventAttributes) {
  const { subscriberid, time } = attributes
  return { subscriberId: subscriberid, eventId: eventIdOf(attributes), time: new Date(time) }
}

type ReceiptData = z.output<(typeof events)['emailSent']['data']>

function receiptOf(kind: ReceiptKind, { attributes, data, record }: Event<ReceiptData>): Made['receipt'] {
  const { time: at, ...identity } = concern(attributes)
  return { kind: 'receipt', documents: [{ ...identity, ...data, kind, at, record: toRecordText(record) }] }
}
