import { formatTimestamp } from '@herald/contracts'
import type { StoredChangeEntry } from '@herald/store'
import { stringify } from 'csv-stringify/sync'

const columns = [
  ['id', (entry) => entry.id],
  ['userId', ({ user }) => user.id],
  ['userName', ({ user }) => user.name],
  ['userEmail', ({ user }) => user.email],
  ['entityType', (entry) => entry.entityType],
  ['entityId', (entry) => entry.entityId],
  ['entityTitle', (entry) => entry.entityTitle],
  ['actionType', (entry) => entry.actionType],
  ['changedField', (entry) => entry.changedField],
  ['createdAt', (entry) => formatTimestamp(entry.createdAt)],
  ['beforeState', (entry) => entry.beforeState],
  ['afterState', (entry) => entry.afterState],
] as const satisfies readonly (readonly [string, (entry: StoredChangeEntry) => string])[]

// RFC 4180, and no cell that a spreadsheet would take for a formula: such a one gets an apostrophe in front.
const options = { record_delimiter: '\r\n', escape_formulas: true } as const

/** The first line: the names of the columns. */
export const csvHeader = stringify([columns.map(([name]) => name)], options)

/** Lines of the change log as CSV; the states are JSON in a cell. */
export function changeEntriesCsv(entries: readonly StoredChangeEntry[]): string {
  return stringify(
    entries.map((entry) => columns.map(([, cell]) => cell(entry))),
    options,
  )
}
