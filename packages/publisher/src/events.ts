import { type EventName, eventTypes, findUnsafeJson, limits } from '@herald/contracts'
import type { EventData, EventIdentity, EventType, HeraldEvent } from './event.ts'
import { faultsOfEvent } from './faults-of-event.ts'
import { InvalidEvent } from './invalid-event.ts'

export type EventsOptions = {
  /** The CloudEvents attribute `source`: who publishes, such as `/comments`. With `id` it has to be unique. */
  readonly source: string
  readonly now?: () => Date
}

export type HeraldEvents = ReturnType<typeof createEvents>

/**
 * Makes events of one source. Each function throws {@link InvalidEvent}, with every fault at once, when Herald would not take
 * the event; what it returns is what was checked.
 */
export function createEvents({ source, now = () => new Date() }: EventsOptions) {
  function make<T extends EventType>(type: T, identity: EventIdentity, data: EventData[T]): HeraldEvent<T> {
    const { id, time, subscriberId, traceparent } = identity
    const said = {
      ...{ specversion: '1.0', id, source, type, time: textOf(time), subscriberid: subscriberId },
      ...{ datacontenttype: 'application/json', ...(traceparent === undefined ? {} : { traceparent }), data },
    }
    // What leaves is JSON: dates are texts in it, and what is undefined is not there. That is what has to be valid.
    const event = JSON.parse(JSON.stringify(said))
    const unsafe = findUnsafeJson(event, limits.eventLevels)
    const faults = unsafe.length > 0 ? unsafe : faultsOfEvent(event, now())
    if (faults.length > 0) throw new InvalidEvent(faults)
    return event
  }

  return {
    /** Somebody was mentioned: makes a notification for each recipient. */
    mentionCreated: (identity: EventIdentity, data: EventData['herald.mention.created.v1']) =>
      make(eventTypes.mentionCreated, identity, data),
    /** Something was changed: makes a line of the subscriber's change log. */
    changeRecorded: (identity: EventIdentity, data: EventData['herald.change.recorded.v1']) =>
      make(eventTypes.changeRecorded, identity, data),
    /** An e-mail about a notification was sent to a recipient at `time`. */
    emailSent: (identity: EventIdentity, data: EventData['herald.email.sent.v1']) =>
      make(eventTypes.emailSent, identity, data),
    /** A recipient has read a notification elsewhere, such as in his mail; `time` is when. */
    notificationRead: (identity: EventIdentity, data: EventData['herald.notification.read.v1']) =>
      make(eventTypes.notificationRead, identity, data),
  } satisfies Record<EventName, unknown>
}

/** A date that is none is a fault like any other. */
function textOf(time: Date | string): string {
  if (!(time instanceof Date)) return time
  return Number.isNaN(time.getTime()) ? 'Invalid Date' : time.toISOString()
}
