import { type EventName, events, findUnsafeJson, limits } from '@herald/contracts'
import type { EventData, EventIdentity, EventType, HeraldEvent } from './event.ts'
import { InvalidEvent } from './invalid-event.ts'
import { validateEvent } from './validate-event.ts'

export type EventsOptions = {
  /** The CloudEvents attribute `source`: the publisher, such as `/comments`. `source` and `id` together must be unique. */
  readonly source: string
  readonly now?: () => Date
}

export type HeraldEvents = ReturnType<typeof createEvents>

/**
 * Creates events of one source. Each function validates its event and throws {@link InvalidEvent} with all issues if Herald would
 * reject it.
 */
export function createEvents({ source, now = () => new Date() }: EventsOptions) {
  function make<T extends EventType>(type: T, identity: EventIdentity, data: EventData[T]): HeraldEvent<T> {
    const { id, time, subscriberId, traceparent } = identity
    const fields = {
      specversion: '1.0',
      id,
      source,
      type,
      time: textOf(time),
      subscriberid: subscriberId,
      datacontenttype: 'application/json',
      traceparent,
      data,
    }
    // Validates the event as it is sent: JSON has dates as strings and omits undefined.
    const event = JSON.parse(JSON.stringify(fields))
    const unsafe = findUnsafeJson(event, limits.eventLevels)
    const issues = unsafe.length > 0 ? unsafe : validateEvent(event, now())
    if (issues.length > 0) throw new InvalidEvent(issues)
    return event
  }

  return {
    /** A mention: creates a notification for each recipient. */
    mentionCreated: (identity: EventIdentity, data: EventData['herald.mention.created.v1']) =>
      make(events.mentionCreated.type, identity, data),
    /**
     * A mention that was deleted, or edited out for `recipientIds`: removes the notifications. By location, it concerns those
     * whose `time` is not later than its own, so take both times from the same clock.
     */
    mentionRetracted: (identity: EventIdentity, data: EventData['herald.mention.retracted.v1']) =>
      make(events.mentionRetracted.type, identity, data),
    /** A change: adds an entry to the subscriber's change log. */
    changeRecorded: (identity: EventIdentity, data: EventData['herald.change.recorded.v1']) =>
      make(events.changeRecorded.type, identity, data),
    /** An e-mail about a notification was sent to a recipient at `time`. */
    emailSent: (identity: EventIdentity, data: EventData['herald.email.sent.v1']) =>
      make(events.emailSent.type, identity, data),
    /** A recipient read a notification elsewhere, for example in an e-mail, at `time`. */
    notificationRead: (identity: EventIdentity, data: EventData['herald.notification.read.v1']) =>
      make(events.notificationRead.type, identity, data),
    /**
     * A person was erased: what Herald stores about them up to `time` is deleted or replaced by a pseudonym. Herald reads these
     * events only if `KAFKA_PRIVACY_TOPIC` is set.
     */
    personErased: (identity: EventIdentity, data: EventData['herald.person.erased.v1']) =>
      make(events.personErased.type, identity, data),
  } satisfies Record<EventName, unknown>
}

/** An invalid date becomes an issue instead of a `RangeError`. */
function textOf(time: Date | string): string {
  if (!(time instanceof Date)) return time
  return Number.isNaN(time.getTime()) ? 'Invalid Date' : time.toISOString()
}
