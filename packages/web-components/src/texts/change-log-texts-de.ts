import type { ExportFormat } from '@herald/client'
import type { ChangeLogTexts, FilterLabel, SealLabel } from './change-log-texts.ts'

const actions: Record<string, string> = {
  create: 'hat hinzugefügt:',
  created: 'hat hinzugefügt:',
  add: 'hat hinzugefügt:',
  update: 'hat geändert:',
  updated: 'hat geändert:',
  delete: 'hat entfernt:',
  deleted: 'hat entfernt:',
}

const labels: Record<FilterLabel, string> = {
  entityType: 'Art',
  entityId: 'Datensatz',
  userId: 'Person',
  actionType: 'Aktion',
  changedField: 'Feld',
  from: 'Von',
  to: 'Bis',
}

const seals: Record<SealLabel, string> = {
  unknown: 'Siegel prüfen',
  checking: 'Siegel wird geprüft',
  unsealed: 'Noch nicht versiegelt',
  sealed: 'Versiegelt',
  unaltered: 'Versiegelt und unverändert',
  altered: 'Verändert: passt nicht zum Siegel',
  failed: 'Das Siegel konnte nicht geprüft werden. Erneut versuchen',
}

const formats: Record<ExportFormat, string> = { csv: 'CSV', ndjson: 'NDJSON', json: 'JSON' }

/** The texts of `<herald-change-log>` in German. */
export const changeLogTextsDe: ChangeLogTexts = {
  title: 'Änderungsprotokoll',
  filters: 'Filter',
  filterLabel: (name) => labels[name],
  anyone: 'Alle',
  any: 'Alle',
  unknownPerson: 'Eine Person',
  clear: 'Alle entfernen',
  removeFilter: (label, value) => `Filter ${label}: ${value} entfernen`,
  filterBy: (label, value) => `Nach ${label} filtern: ${value}`,
  exportAs: 'Export',
  exportFormat: (format) => formats[format],
  exportLabel: (format) => `Als ${formats[format]} exportieren`,
  exporting: 'Export läuft',
  exported: (file) => `${file} ist fertig`,
  exportFailed: 'Der Export ist fehlgeschlagen. Es wurde nichts gespeichert.',
  dismiss: 'Ausblenden',
  refresh: 'Neu laden',
  did: (actionType) => actions[actionType] ?? actionType,
  record: 'den Datensatz',
  newRow: 'Werte des neuen Datensatzes',
  lastRow: 'Letzte Werte des Datensatzes',
  noFields: 'Keine Felder',
  before: 'Vorher:',
  after: 'Nachher:',
  added: 'Hinzugefügt:',
  removed: 'Entfernt:',
  nothing: 'nichts',
  unchanged: (count) => `${count} unverändert`,
  noDifference: 'Kein Unterschied',
  showWhole: 'Alles anzeigen',
  seal: (kind, readAt) => `${seals[kind]}${readAt ? `, Prüfpunkt um ${readAt} gelesen` : ''}`,
  saveProof: 'Nachweis herunterladen',
  loading: 'Das Änderungsprotokoll wird geladen',
  loadingMore: 'Ältere Änderungen werden geladen',
  loaded: (count) => (count === 1 ? '1 Änderung wird angezeigt' : `${count} Änderungen werden angezeigt`),
  moreFailed: 'Ältere Änderungen konnten nicht geladen werden.',
  noMore: 'Hier beginnt das Protokoll',
  emptyTitle: 'Noch keine Änderungen',
  emptyText: 'Hier erscheinen Änderungen mit ihren Werten vorher und nachher.',
  emptyFilteredTitle: 'Keine passenden Änderungen',
  emptyFilteredText: 'Versuchen Sie es mit weniger Filtern oder einem anderen Zeitraum.',
  failedTitle: 'Das Änderungsprotokoll konnte nicht geladen werden',
  failedText: 'Der Dienst ist zurzeit nicht erreichbar.',
  offlineText: 'Sie sind offline. Das Protokoll wird geladen, sobald die Verbindung wieder besteht.',
  signedOutText: 'Möglicherweise wurden Sie abgemeldet. Melden Sie sich an und versuchen Sie es erneut.',
  forbiddenText: 'Sie dürfen es nicht lesen. Fragen Sie eine Administratorin oder einen Administrator.',
  retry: 'Erneut versuchen',
}
