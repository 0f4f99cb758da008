import { encodeDocuments, inBatches, type Surroundings, toWords, type WriteDocument } from '@herald/mongo'
import { csvHeader, writeCsvLine } from '../json/change-entry-csv.ts'
import { writeChangeEntry, writeJsonLine } from '../json/change-entry-json.ts'
import type { LogSteps } from './read-log.ts'

/** The formats of an export: how an entry is written, and the text before, between and after the entries. */
const formats: Readonly<Record<ExportFormat, Surroundings & { readonly write: WriteDocument }>> = {
  json: { write: writeChangeEntry, opening: toWords('{"data":['), between: toWords(','), closing: toWords(']}') },
  ndjson: { write: writeJsonLine },
  csv: { write: writeCsvLine, opening: csvHeader },
}

export type ExportFormat = 'json' | 'ndjson' | 'csv'

/** Bytes of entries encoded at once, because a slow reader would hold the text of a whole step in memory. */
const batchBytes = 256 * 1024

export async function* encodeExport(format: ExportFormat, steps: LogSteps): AsyncGenerator<Buffer, void, void> {
  const { write, opening, between, closing } = formats[format]
  let isFirst = true
  for await (const step of steps) {
    for (const entries of inBatches(step, Infinity, { bytes: batchBytes, sizeOf: ({ length }) => length })) {
      yield encodeDocuments(entries, write, { opening: isFirst ? opening : between, between })
      isFirst = false
    }
  }
  const end = encodeDocuments([], write, { opening: isFirst ? opening : undefined, closing })
  if (end.length > 0) yield end
}
