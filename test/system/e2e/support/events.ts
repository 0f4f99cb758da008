import { randomUUID } from 'node:crypto'
import type { Message } from 'kafkajs'

/** A CloudEvent as a publisher writes it; extension attributes may be added. */
export type Event = {
  specversion: string
  id: string
  source: string
  type: string
  time: string
  subscriberid: string
  data: Record<string, unknown>
}

type Attributes = { subscriberid: string } & Partial<Omit<Event, 'data'>> & Record<string, unknown>

function event(type: string, { subscriberid, ...attributes }: Attributes, data: Record<string, unknown>): Event {
  const now = new Date().toISOString()
  return { specversion: '1.0', id: randomUUID(), source: '/e2e', type, time: now, subscriberid, ...attributes, data }
}

/** A mention for `recipientIds`; `attributes` and `data` override the defaults. */
export function mention(
  recipientIds: readonly string[],
  attributes: Attributes,
  data: Record<string, unknown> = {},
): Event {
  return event('herald.mention.created.v1', attributes, {
    actor: { id: randomUUID(), name: 'Ada', image: 'https://images.example/ada.png' },
    actorType: 'user',
    subjectId: randomUUID(),
    subjectType: 'user',
    locationId: randomUUID(),
    locationType: 'comment',
    metadata: { mention: { mentionerName: 'Ada', snippet: 'See here', entityType: 'portfolio' } },
    recipientIds,
    ...data,
  })
}

/** A retraction by notification or location, of all recipients or some. */
export function retraction(attributes: Attributes, data: Record<string, unknown>): Event {
  return event('herald.mention.retracted.v1', attributes, data)
}

/** The erasure of a person. */
export function erasure(attributes: Attributes, personId: string): Event {
  return event('herald.person.erased.v1', attributes, { personId })
}

/** A recorded change; `attributes` and `data` override the defaults. */
export function change(attributes: Attributes, data: Record<string, unknown> = {}): Event {
  return event('herald.change.recorded.v1', attributes, {
    user: { id: randomUUID(), name: 'Ada', email: 'ada@mail.example' },
    entityType: 'portfolio',
    entityId: 'portfolio-1',
    entityTitle: 'Growth',
    actionType: 'update',
    changedField: 'title',
    beforeState: 'Grwth',
    afterState: 'Growth',
    ...data,
  })
}

/** A receipt: an e-mail about a notification was sent, or it was read elsewhere, at the event's time. */
export function receipt(
  kind: 'herald.email.sent.v1' | 'herald.notification.read.v1',
  attributes: Attributes,
  data: { notificationId: string; recipientId: string },
): Event {
  return event(kind, attributes, data)
}

/** Structured content mode: the value holds the whole event. */
export const structured = (event: Event): Message => ({
  key: event.subscriberid,
  value: JSON.stringify(event),
  headers: { 'content-type': 'application/cloudevents+json' },
})

/** Binary content mode: the value holds the data, the headers `ce_*` hold the attributes. */
export function binary({ data, ...attributes }: Event): Message {
  const named = Object.entries(attributes).map(([name, value]) => [`ce_${name}`, String(value)])
  return {
    key: attributes.subscriberid,
    value: JSON.stringify(data),
    headers: { 'content-type': 'application/json', ...Object.fromEntries(named) },
  }
}

/** `count` ascending times, `apart` milliseconds from each other; the last one is now. */
export function timesUntilNow(count: number, apart = 1): string[] {
  const now = Date.now()
  return Array.from({ length: count }, (_, index) => new Date(now - (count - 1 - index) * apart).toISOString())
}
