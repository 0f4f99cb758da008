import { changeEntryPlaces } from '@herald/store'
import {
  endWriting,
  piece,
  startWriting,
  writeCsvCell,
  writeCsvJsonCell,
  writeLines,
  writePiece,
  writeTimestamp,
  writeUuid,
} from '../byte-writer.ts'

/** The columns in their order, and what writes a cell of each. */
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

const comma = piece(',')
const lineEnd = piece('\r\n')

/** Change entries from the bytes of their documents, as lines of CSV (RFC 4180); the states are JSON in a cell. */
export function changeEntriesCsv(documents: readonly Buffer[]): Buffer {
  startWriting()
  writeLines(documents, lineEnd, writeEntry)
  return endWriting()
}

function writeEntry(bytes: Buffer): void {
  const places = changeEntryPlaces(bytes)
  columns.forEach(([name, writeCell], index) => {
    if (index > 0) writePiece(comma)
    writeCell(bytes, places[name])
  })
}
