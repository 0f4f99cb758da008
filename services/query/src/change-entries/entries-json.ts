import { changeEntryPlaces } from '@herald/store'
import {
  copyText,
  endWriting,
  piece,
  startWriting,
  writeEach,
  writeJsonText,
  writeJsonTime,
  writeLines,
  writePiece,
  writeUuid,
} from '../byte-writer.ts'

const pieces = {
  id: piece('{"id":"'),
  userId: piece('","user":{"id":"'),
  userName: piece('","name":'),
  userEmail: piece(',"email":'),
  entityType: piece('},"entityType":'),
  entityId: piece(',"entityId":'),
  entityTitle: piece(',"entityTitle":'),
  actionType: piece(',"actionType":'),
  changedField: piece(',"changedField":'),
  createdAt: piece(',"createdAt":'),
  beforeState: piece(',"beforeState":'),
  afterState: piece(',"afterState":'),
  end: piece('}'),
} as const

const pageOpening = piece('{"data":{"changeEntries":[')
const comma = piece(',')
const newLine = piece('\n')

/** Change entries as members of a JSON array: of each what `changeEntryJson` says of it, byte for byte. */
export function changeEntriesJson(documents: readonly Buffer[]): Buffer {
  startWriting()
  writeEach(documents, comma, writeEntry)
  return endWriting()
}

/** The same as lines of JSON. */
export function changeEntriesLines(documents: readonly Buffer[]): Buffer {
  startWriting()
  writeLines(documents, newLine, writeEntry)
  return endWriting()
}

/** The answer that holds a page of change entries. */
export function changeEntryPageJson(documents: readonly Buffer[], next: string | null): Buffer {
  startWriting()
  writePiece(pageOpening)
  writeEach(documents, comma, writeEntry)
  writePiece(piece(`],"nextCursor":${JSON.stringify(next)}}}`))
  return endWriting()
}

function writeEntry(bytes: Buffer): void {
  const places = changeEntryPlaces(bytes)
  writePiece(pieces.id)
  writeUuid(bytes, places.id)
  writePiece(pieces.userId)
  writeUuid(bytes, places.userId)
  writePiece(pieces.userName)
  writeJsonText(bytes, places.userName)
  writePiece(pieces.userEmail)
  writeJsonText(bytes, places.userEmail)
  writePiece(pieces.entityType)
  writeJsonText(bytes, places.entityType)
  writePiece(pieces.entityId)
  writeJsonText(bytes, places.entityId)
  writePiece(pieces.entityTitle)
  writeJsonText(bytes, places.entityTitle)
  writePiece(pieces.actionType)
  writeJsonText(bytes, places.actionType)
  writePiece(pieces.changedField)
  writeJsonText(bytes, places.changedField)
  writePiece(pieces.createdAt)
  writeJsonTime(bytes, places.createdAt)
  writePiece(pieces.beforeState)
  copyText(bytes, places.beforeState)
  writePiece(pieces.afterState)
  copyText(bytes, places.afterState)
  writePiece(pieces.end)
}
