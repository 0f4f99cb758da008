import { randomUUID } from 'node:crypto'
import type { Attacker, AttackMessage } from './attack.ts'

type EventOptions = { readonly id?: string; readonly timeMs?: number; readonly headers?: AttackMessage['headers'] }

/** A record with an event of the attacker's subscriber in structured mode. */
export function eventOf(
  { subscriberId, source, timeMs: usual }: Attacker,
  type: string,
  data: object,
  { id = randomUUID(), timeMs = usual, headers = {} }: EventOptions = {},
): AttackMessage {
  const time = new Date(timeMs).toISOString()
  const event = { specversion: '1.0', id, source, type: `herald.${type}.v1`, time, subscriberid: subscriberId, data }
  return { value: JSON.stringify(event), headers: { 'content-type': 'application/cloudevents+json', ...headers } }
}

const [personId, thingId] = [randomUUID(), randomUUID()]

/** The data of a mention, as short as it may be. */
export const mentionOf = (recipientIds: readonly string[], locationId: string = thingId) => ({
  actor: { id: personId, name: '', image: '' },
  actorType: 'user',
  subjectId: personId,
  subjectType: 'user',
  locationId,
  locationType: 'comment',
  metadata: { mention: { mentionerName: 'A', snippet: 'b', entityType: 'c' } },
  recipientIds,
})

export const manyIds = (count: number) => Array.from({ length: count }, () => randomUUID())

/** A trace context of several MiB, which compresses well. */
export const longTraceparent = `00-${'a'.repeat(7 * 1024 * 1024)}-00f067aa0ba902b7-01`
