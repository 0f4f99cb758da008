import { randomUUID } from 'node:crypto'
import type { Message } from 'kafkajs'

/** A CloudEvent as a publisher writes it; further attributes may stand beside these. */
export type Event = {
  specversion: string
  id: string
  source: string
  type: string
  time: string
  subscriberid: string
  data: Record<string, unknown>
}

type Said = { subscriberid: string } & Partial<Omit<Event, 'data'>> & Record<string, unknown>

function event(type: string, { subscriberid, ...said }: Said, data: Record<string, unknown>): Event {
  const now = new Date().toISOString()
  return { specversion: '1.0', id: randomUUID(), source: '/e2e', type, time: now, subscriberid, ...said, data }
}

/** A mention for `recipientIds`. What is said of the event and of its data goes before the defaults. */
export function mention(recipientIds: readonly string[], said: Said, data: Record<string, unknown> = {}): Event {
  return event('herald.mention.created.v1', said, {
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

/** A recorded change. What is said of the event and of its data goes before the defaults. */
export function change(said: Said, data: Record<string, unknown> = {}): Event {
  return event('herald.change.recorded.v1', said, {
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

/** Tells that an e-mail about a notification was sent, or that it was read elsewhere, at the event's time. */
export function receipt(
  kind: 'herald.email.sent.v1' | 'herald.notification.read.v1',
  said: Said,
  data: { notificationId: string; recipientId: string },
): Event {
  return event(kind, said, data)
}

/** The whole event in the value. */
export const structured = (event: Event): Message => ({
  key: event.subscriberid,
  value: JSON.stringify(event),
  headers: { 'content-type': 'application/cloudevents+json' },
})

/** The data in the value, the attributes in headers `ce_*`. */
export function binary({ data, ...attributes }: Event): Message {
  const named = Object.entries(attributes).map(([name, value]) => [`ce_${name}`, String(value)])
  return {
    key: attributes.subscriberid,
    value: JSON.stringify(data),
    headers: { 'content-type': 'application/json', ...Object.fromEntries(named) },
  }
}

/** `count` times, a millisecond apart and in order, the last of them just now. */
export function timesUntilNow(count: number, apart = 1): string[] {
  const now = Date.now()
  return Array.from({ length: count }, (_, index) => new Date(now - (count - 1 - index) * apart).toISOString())
}
