import type { ExportFormat } from '@herald/client'

/** Every text of `<herald-change-log>`, in English. Any of them can be replaced through its property `texts`. */
export type ChangeLogTexts = typeof changeLogTexts

const actions: Record<string, string> = {
  create: 'added',
  created: 'added',
  add: 'added',
  update: 'changed',
  updated: 'changed',
  delete: 'removed',
  deleted: 'removed',
}

const labels = {
  entityType: 'Kind',
  entityId: 'Record',
  userId: 'Person',
  actionType: 'Action',
  changedField: 'Field',
  from: 'From',
  to: 'Until',
}

export type FilterLabel = keyof typeof labels

const seals = {
  unknown: 'Check the seal',
  checking: 'Checking the seal',
  unsealed: 'Not sealed yet',
  sealed: 'Sealed',
  unaltered: 'Sealed and unaltered',
  altered: 'Altered: doesn’t match its seal',
  failed: 'The seal could not be checked. Try again',
}

export type SealLabel = keyof typeof seals

const formats: Record<ExportFormat, string> = { csv: 'CSV', ndjson: 'NDJSON', json: 'JSON' }

export const changeLogTexts = {
  title: 'Change log',
  filters: 'Filters',
  filterLabel: (name: FilterLabel) => labels[name],
  anyone: 'Anyone',
  any: 'Any',
  unknownPerson: 'One person',
  clear: 'Clear all',
  removeFilter: (label: string, value: string) => `Remove filter ${label}: ${value}`,
  filterBy: (label: string, value: string) => `Filter by ${label}: ${value}`,
  exportAs: 'Export',
  exportFormat: (format: ExportFormat) => formats[format],
  exportLabel: (format: ExportFormat) => `Export as ${formats[format]}`,
  exporting: 'Exporting',
  exported: (file: string) => `${file} is ready`,
  exportFailed: 'The export failed. Nothing was saved.',
  dismiss: 'Dismiss',
  refresh: 'Refresh',
  /** The action, between the person and the field. */
  did: (actionType: string) => actions[actionType] ?? actionType,
  /** In place of a field, where a whole record was added or removed. */
  record: 'the record',
  newRow: 'Values of the new record',
  lastRow: 'Last values of the record',
  noFields: 'No fields',
  before: 'Before:',
  after: 'After:',
  added: 'Added:',
  removed: 'Removed:',
  nothing: 'nothing',
  unchanged: (count: number) => (count === 1 ? '1 unchanged' : `${count} unchanged`),
  noDifference: 'No difference',
  showWhole: 'Show everything',
  /** The state of a seal, or what its button does. `readAt` is the time at which this page read the checkpoint. */
  seal: (kind: SealLabel, readAt?: string) => `${seals[kind]}${readAt ? `, checkpoint read at ${readAt}` : ''}`,
  saveProof: 'Download proof',
  loading: 'Loading the change log',
  loadingMore: 'Loading older changes',
  loaded: (count: number) => (count === 1 ? '1 change is shown' : `${count} changes are shown`),
  moreFailed: 'Older changes could not be loaded.',
  noMore: 'The log begins here',
  emptyTitle: 'No changes yet',
  emptyText: 'Changes will be listed here, with their values before and after.',
  emptyFilteredTitle: 'No changes match',
  emptyFilteredText: 'Try fewer filters or another period.',
  failedTitle: 'The change log could not be loaded',
  failedText: 'The service can’t be reached at the moment.',
  offlineText: 'You’re offline. The change log loads when the connection is back.',
  signedOutText: 'You may have been signed out. Sign in again, then retry.',
  forbiddenText: 'You’re not allowed to read it. Ask an administrator for access.',
  retry: 'Try again',
}
