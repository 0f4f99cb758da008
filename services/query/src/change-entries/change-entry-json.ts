import { formatTimestamp } from '@herald/contracts'
import type { StoredChangeEntry } from '@herald/store'
import { textJson } from '../text-json.ts'

/** An entry of the change log (specification 2.5) as JSON text. The states are stored as JSON and copied. */
export function changeEntryJson(entry: StoredChangeEntry): string {
  const { user } = entry
  return (
    `{"id":"${entry.id}","user":{"id":"${user.id}","name":${textJson(user.name)},"email":${textJson(user.email)}},` +
    `"entityType":${textJson(entry.entityType)},"entityId":${textJson(entry.entityId)},` +
    `"entityTitle":${textJson(entry.entityTitle)},"actionType":${textJson(entry.actionType)},` +
    `"changedField":${textJson(entry.changedField)},"createdAt":"${formatTimestamp(entry.createdAt)}",` +
    `"beforeState":${entry.beforeState},"afterState":${entry.afterState}}`
  )
}
