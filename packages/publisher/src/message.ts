import { defaultTopics, limits } from '@herald/contracts'
import type { HeraldEvent } from './event.ts'
import { descriptionOf } from './faults-of-event.ts'
import { InvalidEvent } from './invalid-event.ts'

/** How CloudEvents stand in records: `structured` has the event as the value, `binary` its data, with headers `ce_*`. */
export type ContentMode = 'structured' | 'binary'

/** A record for any client of Kafka. All of it is text, so it can wait in an outbox as it is. */
export type EventMessage = {
  /** The subscriber's id, which keeps his events in order. */
  readonly key: string
  readonly value: string
  readonly headers: Readonly<Record<string, string>>
}

/** The names of the topics, where they are not Herald's own. */
export type Topics = { readonly mention: string; readonly change: string; readonly receipt: string }

/** A record with its topic. */
export type EventRecord = EventMessage & { readonly topic: string }

export type MessageOptions = { readonly mode?: ContentMode | undefined }

export function toMessage(event: HeraldEvent, { mode = 'structured' }: MessageOptions = {}): EventMessage {
  const message = mode === 'binary' ? toBinary(event) : toStructured(event)
  const bytes = Buffer.byteLength(message.value)
  if (bytes <= limits.eventBytes) return message
  throw new InvalidEvent([{ pointer: '', detail: `The value has ${bytes} bytes, ${limits.eventBytes} are allowed` }])
}

/** The record and the topic that it goes to: what an outbox keeps, and a relay sends as it is. */
export function toRecord(
  event: HeraldEvent,
  { topics, ...options }: MessageOptions & { readonly topics?: Topics | undefined } = {},
): EventRecord {
  return { topic: topicOf(event, topics), ...toMessage(event, options) }
}

/** The topic that an event belongs on. */
export function topicOf({ type }: Pick<HeraldEvent, 'type'>, topics: Topics = defaultTopics): string {
  const description = descriptionOf(type)
  if (!description) throw new InvalidEvent([{ pointer: '/type', detail: 'Is not a type that Herald takes' }])
  return topics[description.topic]
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
