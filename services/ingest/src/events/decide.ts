import {
  type CloudEventAttributes,
  changeRecordedSchema,
  deriveEventId,
  eventTypes,
  type FaultCode,
  limits,
  mentionCreatedSchema,
  zodFaults,
} from '@herald/contracts'
import type { NewNotification, StoredChangeEntry } from '@herald/store'
import type { z } from 'zod'
import { describeFaults } from './describe-faults.ts'
import type { IncomingRecord } from './incoming-record.ts'
import { type ReadEvent, readCloudEvent } from './read-cloud-event.ts'

/** What is to be done with a record. */
export type Decision =
  | { readonly kind: 'notification'; readonly notification: NewNotification }
  | { readonly kind: 'change-entry'; readonly entry: StoredChangeEntry }
  | { readonly kind: 'dead-letter'; readonly code: FaultCode; readonly detail: string }

/** What a topic carries. */
export type TopicKind = 'mention' | 'change'

const deadLetter = (code: FaultCode, detail: string): Decision => ({ kind: 'dead-letter', code, detail })

/** Decides a record by itself: no IO, and nothing of a record makes it throw. */
export function decide(record: IncomingRecord, kind: TopicKind, now: Date): Decision {
  const event = readCloudEvent(record)
  if (!event.ok) return deadLetter(event.code, event.detail)
  const { time, type } = event.attributes
  if (time > now.getTime() + limits.eventFutureMs) {
    return deadLetter('future_time', `The time is ${new Date(time).toISOString()}, more than 5 minutes ahead`)
  }
  if (kind === 'mention' && type === eventTypes.mentionCreated) return decideMention(event)
  if (kind === 'change' && type === eventTypes.changeRecorded) return decideChange(event)
  return deadLetter('unknown_type', `The type ${JSON.stringify(type)} does not belong on this topic`)
}

type Event = Extract<ReadEvent, { ok: true }>

function identify({ subscriberid, source, id, time }: CloudEventAttributes) {
  const eventId = deriveEventId({ subscriberId: subscriberid, source, id, time })
  return { id: eventId, subscriberId: subscriberid, createdAt: new Date(time) }
}

const invalidData = (error: z.ZodError) => deadLetter('invalid_data', describeFaults(zodFaults(error), '/data'))

function decideMention({ attributes, data }: Event): Decision {
  const parsed = mentionCreatedSchema.safeParse(data)
  if (!parsed.success) return invalidData(parsed.error)
  const notification = {
    ...identify(attributes),
    type: 'mention',
    ...parsed.data,
    metadata: JSON.stringify(parsed.data.metadata),
  } as const
  return { kind: 'notification', notification }
}

function decideChange({ attributes, data }: Event): Decision {
  const parsed = changeRecordedSchema.safeParse(data)
  if (!parsed.success) return invalidData(parsed.error)
  const entry = {
    ...identify(attributes),
    ...parsed.data,
    beforeState: JSON.stringify(parsed.data.beforeState),
    afterState: JSON.stringify(parsed.data.afterState),
  }
  return { kind: 'change-entry', entry }
}
