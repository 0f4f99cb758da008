import { formatTimestamp } from '@herald/contracts'
import type { StoredNotification } from '@herald/store'
import { textJson } from '../text-json.ts'

const time = (at: Date) => `"${formatTimestamp(at)}"`
const timeOrNull = (at: Date | null) => (at === null ? 'null' : time(at))

/**
 * A notification in the form of specification 2.2 as JSON text. `metadata` is stored as JSON and copied, because
 * parsing and serializing could change it. Identifiers and enumerated values need no escaping.
 */
export function notificationJson(notification: StoredNotification): string {
  const { actor } = notification
  const createdAt = time(notification.createdAt)
  return (
    `{"id":"${notification.id}","subscriberId":"${notification.subscriberId}","type":"${notification.type}",` +
    `"actorId":"${actor.id}","actorType":"${notification.actorType}",` +
    `"subjectId":"${notification.subjectId}","subjectType":"${notification.subjectType}",` +
    `"locationId":"${notification.locationId}","locationType":"${notification.locationType}",` +
    `"metadata":${notification.metadata},"createdAt":${createdAt},"updatedAt":${createdAt},` +
    `"actor":{"id":"${actor.id}","name":${textJson(actor.name)},"image":${textJson(actor.image)}},` +
    `"readAt":${timeOrNull(notification.readAt)},"emailSentAt":${timeOrNull(notification.emailSentAt)}}`
  )
}
