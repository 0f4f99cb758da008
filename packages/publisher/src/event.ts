import type { EventDataInput, EventType } from '@herald/contracts'

export type { EventType }
/** The data of each event, by its type. */
export type EventData = EventDataInput

/** A CloudEvent 1.0 of a type that Herald accepts. */
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
 * Identifies an event, together with its source. Publishing it again with the same identity stores nothing new, so `id` and
 * `time` are never generated.
 */
export type EventIdentity = {
  /** Unique within the source, such as the key of the row that the event is about. */
  readonly id: string
  /** When it happened, not when it is published. */
  readonly time: Date | string
  /** The subscriber that the event belongs to. */
  readonly subscriberId: string
  readonly traceparent?: string | undefined
}
