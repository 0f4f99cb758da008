import { type EventPlan, notificationKey, recipientsOf, timeOf } from './event-plan.ts'

export const uuidOf = (bytes: Buffer) =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** The ids in the key of a mention for its first recipient. */
function idsOf(plan: EventPlan, n: number) {
  const key = notificationKey(plan, n, recipientsOf(n)[0] as Buffer)
  return { subscriberId: uuidOf(key.subarray(0, 16)), id: uuidOf(key.subarray(32)) }
}

export const notificationIdOf = (plan: EventPlan, n: number) => idsOf(plan, n).id

/** The key of a document in the store. */
export function keyOfIds(...ids: readonly string[]): Buffer {
  return Buffer.from(ids.join('').replaceAll('-', ''), 'hex')
}

/** The expected content of the announcement of a mention. */
export function expectedAnnouncement(plan: EventPlan, n: number) {
  const { subscriberId, id } = idsOf(plan, n)
  const time = `${new Date(timeOf(plan, n)).toISOString().slice(0, 19)}Z`
  return {
    specversion: '1.0',
    id: `${id}/1`,
    source: '/herald',
    type: 'herald.notification.created.v1',
    time,
    subscriberid: subscriberId,
    snippet: `event ${n}`,
    recipientIds: recipientsOf(n).map(uuidOf).sort(),
    part: 1,
    parts: 1,
  }
}

/** Returns these fields of an announcement. */
export function comparedFields(text: string) {
  const { specversion, id, source, type, time, subscriberid, data } = JSON.parse(text)
  const { notification, recipientIds, part, parts } = data
  const { snippet } = notification.metadata.mention
  return { specversion, id, source, type, time, subscriberid, snippet, recipientIds, part, parts }
}
