import { createHash } from 'node:crypto'

/** An event as a record of its topic, in structured mode. */
export type EventRecord = { key: string; value: string; headers: Record<string, string>; partition?: number }

const headers = { 'content-type': 'application/cloudevents+json' }
const firstMillisecond = Date.UTC(2026, 0, 1)
const subscribers = 600
const recipients = 10_000

/** A UUID that looks random and is the same on every run. */
export function uuidOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

const uuids = new Map<string, string>()
/** A cached {@link uuidOf} for the few thousand names that repeat. */
function cachedUuidOf(name: string): string {
  const found = uuids.get(name) ?? uuidOf(name)
  uuids.set(name, found)
  return found
}

function envelope(sequence: number, subscriberid: string, type: string, data: unknown): EventRecord {
  const event = {
    specversion: '1.0',
    id: uuidOf(`event ${sequence}`),
    source: '/services/esg-data',
    type,
    time: new Date(firstMillisecond + sequence).toISOString(),
    subscriberid,
    data,
  }
  return { key: subscriberid, value: JSON.stringify(event), headers }
}

export const subscriberNames = Array.from({ length: subscribers }, (_, n) => `subscriber ${n}`)
export const recipientNames = Array.from({ length: recipients }, (_, n) => `recipient ${n}`)

const subscriberOf = (sequence: number) => cachedUuidOf(`subscriber ${sequence % subscribers}`)

/** A change of a value, about 560 bytes. */
export function changeEvent(sequence: number): EventRecord {
  return changeOf(sequence, subscriberOf(sequence), String(sequence % 997), String(sequence % 5_003))
}

/** A change of this entity by this user. */
export function changeOf(sequence: number, subscriberId: string, user: string, entity: string): EventRecord {
  return envelope(sequence, subscriberId, 'herald.change.recorded.v1', {
    user: { id: cachedUuidOf(`user ${user}`), name: `User Number ${user}`, email: `user.${user}@example.com` },
    entityType: 'data point',
    entityId: cachedUuidOf(`entity ${entity}`),
    entityTitle: `Energy consumption, site ${entity}`,
    actionType: 'update',
    changedField: 'value',
    beforeState: { value: sequence, unit: 'kWh' },
    afterState: { value: sequence + 1, unit: 'kWh', note: 'meter read again' },
  })
}

/** A mention for `recipientCount` recipients, about 900 bytes. */
export function mentionEvent(sequence: number, recipientCount: number): EventRecord {
  const recipientIds = Array.from({ length: recipientCount }, (_, i) =>
    cachedUuidOf(`recipient ${(sequence * 31 + i * 3_331) % recipients}`),
  )
  return mentionOf(sequence, subscriberOf(sequence), recipientIds)
}

/** A mention for these recipients. */
export function mentionOf(sequence: number, subscriberId: string, recipientIds: readonly string[]): EventRecord {
  return envelope(sequence, subscriberId, 'herald.mention.created.v1', mentionData(sequence, recipientIds))
}

/** A mention with the current time. */
export function mentionNow(sequence: number, subscriberid: string, recipientIds: readonly string[]): EventRecord {
  const event = {
    specversion: '1.0',
    id: `now ${sequence}`,
    source: '/services/esg-data',
    type: 'herald.mention.created.v1',
    time: new Date().toISOString(),
    subscriberid,
    data: mentionData(sequence, recipientIds),
  }
  return { key: subscriberid, value: JSON.stringify(event), headers }
}

function mentionData(sequence: number, recipientIds: readonly string[]) {
  const actor = sequence % 499
  const mention = {
    mentionerName: `User Number ${actor}`,
    snippet: 'please could you check the revised figure in this section before we send it to the auditors',
    entityType: 'data point',
    anchorId: `anchor-${sequence}`,
  }
  return {
    actor: {
      id: cachedUuidOf(`user ${actor}`),
      name: `User Number ${actor}`,
      image: `https://images.example.com/${actor}.png`,
    },
    actorType: 'user',
    subjectId: cachedUuidOf(`subject ${sequence % 2_003}`),
    subjectType: 'user',
    locationId: cachedUuidOf(`location ${sequence % 4_001}`),
    locationType: 'comment',
    metadata: { mention, add: {}, edit: {} },
    recipientIds,
  }
}
