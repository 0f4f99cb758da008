import { changeEntryPlaces } from '@herald/store'
import {
  endWriting,
  piece,
  startWriting,
  writeCsvCell,
  writeEach,
  writePiece,
  writeTimestamp,
  writeUuid,
} from '../byte-writer.ts'

const columns = [
  ...['id', 'userId', 'userName', 'userEmail', 'entityType', 'entityId', 'entityTitle', 'actionType'],
  ...['changedField', 'createdAt', 'beforeState', 'afterState'],
]

/** The first line: the names of the columns. */
export const csvHeader = `${columns.join(',')}\r\n`

const comma = piece(',')
const lineEnd = piece('\r\n')

/** Change entries from the bytes of their documents, as lines of CSV (RFC 4180); the states are JSON in a cell. */
export function changeEntriesCsv(documents: readonly Buffer[]): Buffer {
  startWriting()
  writeEach(documents, lineEnd, writeLine)
  if (documents.length > 0) writePiece(lineEnd)
  return endWriting()
}

function writeLine(bytes: Buffer): void {
  const places = changeEntryPlaces(bytes)
  writeUuid(bytes, places.id)
  writePiece(comma)
  writeUuid(bytes, places.userId)
  writePiece(comma)
  writeCsvCell(bytes, places.userName)
  writePiece(comma)
  writeCsvCell(bytes, places.userEmail)
  writePiece(comma)
  writeCsvCell(bytes, places.entityType)
  writePiece(comma)
  writeCsvCell(bytes, places.entityId)
  writePiece(comma)
  writeCsvCell(bytes, places.entityTitle)
  writePiece(comma)
  writeCsvCell(bytes, places.actionType)
  writePiece(comma)
  writeCsvCell(bytes, places.changedField)
  writePiece(comma)
  writeTimestamp(bytes, places.createdAt)
  writePiece(comma)
  writeCsvCell(bytes, places.beforeState)
  writePiece(comma)
  writeCsvCell(bytes, places.afterState)
}
