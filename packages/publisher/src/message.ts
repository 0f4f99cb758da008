import { defaultTopics, limits } from '@herald/contracts'
import type { HeraldEvent } from './event.ts'
import { InvalidEvent } from './invalid-event.ts'
import { descriptionOf } from './validate-event.ts'

/** The CloudEvents content mode: in `structured` the value is the event, in `binary` its data, with attributes in `ce_*` headers. */
export type ContentMode = 'structured' | 'binary'

/** A record for any Kafka client. All fields are strings, so an outbox can store it unchanged. */
export type EventMessage = {
  /** The subscriber's id, which keeps its events in order. */
  readonly key: string
  readonly value: string
  readonly headers: Readonly<Record<string, string>>
}

/** Names of the topics, if they differ from the defaults. */
export type Topics = {
  readonly mention: string
  readonly change: string
  readonly receipt: string
  /** `privacy-events` if unset. */
  readonly privacy?: string | undefined
}

/** A record with its topic. */
export type EventRecord = EventMessage & { readonly topic: string }

export type MessageOptions = { readonly mode?: ContentMode | undefined }

export function toMessage(event: HeraldEvent, { mode = 'structured' }: MessageOptions = {}): EventMessage {
  const message = mode === 'binary' ? toBinary(event) : toStructured(event)
  const bytes = Buffer.byteLength(message.value)
  if (bytes <= limits.eventBytes) return message
  throw new InvalidEvent([{ pointer: '', detail: `The value has ${bytes} bytes, ${limits.eventBytes} are allowed` }])
}

/** Converts an event to a record with its topic, for an outbox and its relay. */
export function toRecord(
  event: HeraldEvent,
  { topics, ...options }: MessageOptions & { readonly topics?: Topics | undefined } = {},
): EventRecord {
  return { topic: topicOf(event, topics), ...toMessage(event, options) }
}

/** Returns the topic of an event. */
export function topicOf({ type }: Pick<HeraldEvent, 'type'>, topics: Topics = defaultTopics): string {
  const description = descriptionOf(type)
  if (!description) throw new InvalidEvent([{ pointer: '/type', detail: 'Unknown event type' }])
  return topics[description.topic] ?? defaultTopics[description.topic]
}

const toStructured = (event: HeraldEvent): EventMessage => ({
  key: event.subscriberid,
  value: JSON.stringify(event),
  headers: { 'content-type': 'application/cloudevents+json; charset=utf-8' },
})

function toBinary({ data, datacontenttype, ...attributes }: HeraldEvent): EventMessage {
  const named = Object.entries(attributes).map(([name, value]) => [`ce_${name}`, value])
  return {
    key: attributes.subscriberid,
    value: JSON.stringify(data),
    headers: { 'content-type': datacontenttype, ...Object.fromEntries(named) },
  }
}
