import type { ChangeEntry } from '@herald/client'
import type { Seen } from './filters-view.ts'

/** Collects filter values from the entries shown, because Herald has no list of them. */
export function createSeenValues() {
  const values = {
    entityType: new Map<string, string>(),
    entityId: new Map<string, string>(),
    userId: new Map<string, string>(),
    actionType: new Map<string, string>(),
    changedField: new Map<string, string>(),
  } satisfies Seen

  return {
    values: values as Seen,
    add(entries: readonly ChangeEntry[]): void {
      for (const { user, entityType, entityId, entityTitle, actionType, changedField } of entries) {
        values.entityType.set(entityType, entityType)
        values.entityId.set(entityId, entityTitle || entityId)
        values.userId.set(user.id, user.name || user.email || user.id)
        values.actionType.set(actionType, actionType)
        if (changedField !== '') values.changedField.set(changedField, changedField)
      }
    },
  }
}
