import { splitBySize } from '../reading/split-by-size.ts'
import { encode, encodeDocuments } from '../wire/byte-writer.ts'
import { csvHeader, writeCsvLine } from './change-entry-csv.ts'
import { writeChangeEntry, writeJsonLine } from './change-entry-json.ts'
import type { LogSteps } from './read-log.ts'

const nothing = encode('')

/** The formats of an export: how an entry is written, and the text before, between and after the entries. */
const formats = {
  json: { write: writeChangeEntry, opening: encode('{"data":['), between: encode(','), closing: encode(']}') },
  ndjson: { write: writeJsonLine, opening: nothing, between: nothing, closing: nothing },
  csv: { write: writeCsvLine, opening: csvHeader, between: nothing, closing: nothing },
} as const

export type ExportFormat = keyof typeof formats

/** Bytes of entries encoded at once, because a slow reader would hold the text of a whole step in memory. */
const batchBytes = 256 * 1024

/** Yields the document that contains all entries, in pieces. If a step fails, it throws without the closing. */
export async function* encodeExport(format: ExportFormat, steps: LogSteps): AsyncGenerator<Buffer, void, void> {
  const { write, opening, between, closing } = formats[format]
  let isFirst = true
  for await (const step of steps) {
    for (const entries of splitBySize(step, batchBytes, ({ length }) => length)) {
      yield encodeDocuments(entries, write, { opening: isFirst ? opening : between, between })
      isFirst = false
    }
  }
  const end = encodeDocuments([], write, { opening: isFirst ? opening : nothing, closing })
  if (end.length > 0) yield end
}
