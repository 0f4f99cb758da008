import type { ExportFormat } from '@herald/store'

type MediaType = { readonly format: ExportFormat; readonly contentType: string }

export const defaultFormat: MediaType = { format: 'json', contentType: 'application/json; charset=utf-8' }

/** The formats of an export by media type, in order of preference. */
export const exportFormats: Readonly<Record<string, MediaType>> = {
  'application/json': defaultFormat,
  'application/x-ndjson': { format: 'ndjson', contentType: 'application/x-ndjson; charset=utf-8' },
  'text/csv': { format: 'csv', contentType: 'text/csv; charset=utf-8; header=present' },
}
