import type { ChangeLog, ChangeLogQuery } from '@herald/store'
import { changeEntriesCsv, csvHeader } from './change-entry-csv.ts'
import { changeEntriesJson, changeEntriesLines } from './entries-json.ts'

/** A part of the change log as it goes out. */
export type Part = string | Buffer

/** A form in which the change log goes out: what stands before, between and behind the steps of its entries. */
export type ExportFormat = {
  readonly contentType: string
  readonly opening: string
  readonly separator: string
  readonly closing: string
  read(log: Pick<ChangeLog, 'all' | 'allBytes'>, query: ChangeLogQuery): AsyncGenerator<Part, void, void>
}

/** The forms by the media types that a client may ask for; the first is given to one that does not mind. */
export const exportFormats: Readonly<Record<string, ExportFormat>> = {
  'application/json': {
    contentType: 'application/json; charset=utf-8',
    opening: '{"data":[',
    separator: ',',
    closing: ']}',
    read: (log, query) => encoded(log.allBytes(query), changeEntriesJson),
  },
  'application/x-ndjson': {
    contentType: 'application/x-ndjson; charset=utf-8',
    opening: '',
    separator: '',
    closing: '',
    read: (log, query) => encoded(log.allBytes(query), changeEntriesLines),
  },
  'text/csv': {
    contentType: 'text/csv; charset=utf-8; header=present',
    opening: csvHeader,
    separator: '',
    closing: '',
    read: (log, query) => encoded(log.all(query), changeEntriesCsv),
  },
}

async function* encoded<T>(steps: AsyncIterable<T>, encode: (step: T) => Part) {
  for await (const step of steps) yield encode(step)
}
