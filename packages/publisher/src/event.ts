import type { EventDataInput, EventType } from '@herald/contracts'

export type { EventType }
/** The data of each event, by its type. */
export type EventData = EventDataInput

/** A CloudEvent 1.0 that Herald takes. */
export type HeraldEvent<T extends EventType = EventType> = {
  [K in T]: {
    readonly specversion: '1.0'
    readonly id: string
    readonly source: string
    readonly type: K
    /** RFC 3339. */
    readonly time: string
    readonly subscriberid: string
    readonly datacontenttype: 'application/json'
    /** W3C Trace Context: the parent of the span that stores the event. */
    readonly traceparent?: string
    readonly data: EventData[K]
  }
}[T]

/**
 * Which event it is. All three stay the same when it is published again: that, and nothing else, makes it the same event.
 * So neither `id` nor `time` is ever made up here.
 */
export type EventIdentity = {
  /** Unique within the source, such as the key of the row that the event is about. */
  readonly id: string
  /** When it happened, not when it is published. */
  readonly time: Date | string
  /** Whose it is. */
  readonly subscriberId: string
  readonly traceparent?: string | undefined
}
