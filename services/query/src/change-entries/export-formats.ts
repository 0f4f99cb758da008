import { changeEntriesCsv, csvHeader } from './entries-csv.ts'
import { changeEntriesJson, changeEntriesLines } from './entries-json.ts'

/** A form in which the change log goes out: what stands before, between and behind the steps of its entries. */
export type ExportFormat = {
  readonly contentType: string
  readonly opening: string
  readonly separator: string
  readonly closing: string
  /** A step of entries, from the bytes of their documents. */
  encode(documents: readonly Buffer[]): Buffer
}

/** The forms by the media types that a client may ask for; the first is given to one that does not mind. */
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
