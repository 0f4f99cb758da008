import { changeEntryPlaces } from '@herald/store'
import {
  encode,
  endWriting,
  startWriting,
  writeBytes,
  writeCsvCell,
  writeCsvJsonCell,
  writeLines,
  writeTimestamp,
  writeUuid,
} from '../byte-writer.ts'

/** The columns in order, with the writer of their cells. */
const columns = [
  ['id', writeUuid],
  ['userId', writeUuid],
  ['userName', writeCsvCell],
  ['userEmail', writeCsvCell],
  ['entityType', writeCsvCell],
  ['entityId', writeCsvCell],
  ['entityTitle', writeCsvCell],
  ['actionType', writeCsvCell],
  ['changedField', writeCsvCell],
  ['createdAt', writeTimestamp],
  ['beforeState', writeCsvJsonCell],
  ['afterState', writeCsvJsonCell],
] as const

/** The first line: the names of the columns. */
export const csvHeader = `${columns.map(([name]) => name).join(',')}\r\n`

const comma = encode(',')
const lineEnd = encode('\r\n')

/**
 * Writes change entries from the bytes of their documents as lines of CSV (RFC 4180), with the states as JSON cells.
 */
export function changeEntriesCsv(documents: readonly Buffer[]): Buffer {
  startWriting()
  writeLines(documents, lineEnd, writeEntry)
  return endWriting()
}

function writeEntry(bytes: Buffer): void {
  const places = changeEntryPlaces(bytes)
  columns.forEach(([name, writeCell], index) => {
    if (index > 0) writeBytes(comma)
    writeCell(bytes, places[name])
  })
}
