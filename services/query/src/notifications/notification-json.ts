import { formatTimestamp } from '@herald/contracts'
import type { StoredNotification } from '@herald/store'

// What needs no escaping, as nearly all does, is written as it is: it has come through UTF-8, so no surrogate stands alone.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what JSON escapes
const escaped = /["\\\u0000-\u001f]/
const text = (value: string) => (escaped.test(value) ? JSON.stringify(value) : `"${value}"`)
const time = (at: Date) => `"${formatTimestamp(at)}"`
const timeOrNull = (at: Date | null) => (at === null ? 'null' : time(at))

/**
 * A notification as its recipient sees it (specification 2.2), as JSON text. `metadata` is stored as JSON and goes out as
 * it is: parsed and written anew, it could come back in another form. Identifiers and enumerated values need no escaping.
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
    `"actor":{"id":"${actor.id}","name":${text(actor.name)},"image":${text(actor.image)}},` +
    `"readAt":${timeOrNull(notification.readAt)},"emailSentAt":${timeOrNull(notification.emailSentAt)}}`
  )
}
