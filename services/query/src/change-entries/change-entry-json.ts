import { formatTimestamp } from '@herald/contracts'
import type { StoredChangeEntry } from '@herald/store'

const text = JSON.stringify

/** A line of the change log (specification 2.5) as JSON text. The states are stored as JSON and go out as they are. */
export function changeEntryJson(entry: StoredChangeEntry): string {
  const { user } = entry
  return (
    `{"id":"${entry.id}","user":{"id":"${user.id}","name":${text(user.name)},"email":${text(user.email)}},` +
    `"entityType":${text(entry.entityType)},"entityId":${text(entry.entityId)},` +
    `"entityTitle":${text(entry.entityTitle)},"actionType":${text(entry.actionType)},` +
    `"changedField":${text(entry.changedField)},"createdAt":"${formatTimestamp(entry.createdAt)}",` +
    `"beforeState":${entry.beforeState},"afterState":${entry.afterState}}`
  )
}
