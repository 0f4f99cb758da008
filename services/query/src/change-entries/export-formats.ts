import { changeEntriesCsv, csvHeader } from './entries-csv.ts'
import { changeEntriesJson, changeEntriesLines } from './entries-json.ts'

/** A format of the change log, with the text before, between and after the steps of its entries. */
export type ExportFormat = {
  readonly contentType: string
  readonly opening: string
  readonly separator: string
  readonly closing: string
  /** Encodes entries from the bytes of their documents. */
  encode(documents: readonly Buffer[]): Buffer
}

/** The formats by media type; the first is the default. */
export const exportFormats: Readonly<Record<string, ExportFormat>> = {
  'application/json': {
    contentType: 'application/json; charset=utf-8',
    opening: '{"data":[',
    separator: ',',
    closing: ']}',
    encode: changeEntriesJson,
  },
  'application/x-ndjson': {
    contentType: 'application/x-ndjson; charset=utf-8',
    opening: '',
    separator: '',
    closing: '',
    encode: changeEntriesLines,
  },
  'text/csv': {
    contentType: 'text/csv; charset=utf-8; header=present',
    opening: csvHeader,
    separator: '',
    closing: '',
    encode: changeEntriesCsv,
  },
}
