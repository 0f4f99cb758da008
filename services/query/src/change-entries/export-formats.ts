import type { StoredChangeEntry } from '@herald/store'
import { changeEntriesCsv, csvHeader } from './change-entry-csv.ts'
import { changeEntryJson } from './change-entry-json.ts'

/** A form in which the change log goes out: what stands before, between and behind the entries. */
export type ExportFormat = {
  readonly contentType: string
  readonly opening: string
  readonly separator: string
  readonly closing: string
  encode(entries: readonly StoredChangeEntry[]): string
}

/** The forms by the media types that a client may ask for; the first is given to one that does not mind. */
export const exportFormats: Readonly<Record<string, ExportFormat>> = {
  'application/json': {
    contentType: 'application/json; charset=utf-8',
    opening: '{"data":[',
    separator: ',',
    closing: ']}',
    encode: (entries) => entries.map(changeEntryJson).join(','),
  },
  'application/x-ndjson': {
    contentType: 'application/x-ndjson; charset=utf-8',
    opening: '',
    separator: '',
    closing: '',
    encode: (entries) => entries.map((entry) => `${changeEntryJson(entry)}\n`).join(''),
  },
  'text/csv': {
    contentType: 'text/csv; charset=utf-8; header=present',
    opening: csvHeader,
    separator: '',
    closing: '',
    encode: changeEntriesCsv,
  },
}
