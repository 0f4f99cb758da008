import { changeEntryPlaces } from '@herald/store'
import {
  copyText,
  endJson,
  piece,
  startJson,
  writeEach,
  writePiece,
  writeText,
  writeTime,
  writeUuid,
} from '../json-bytes.ts'

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

const comma = piece(',')
const newLine = piece('\n')
/** Change entries as members of a JSON array: of each what `changeEntryJson` says of it, byte for byte. */
export function changeEntriesJson(documents: readonly Buffer[]): Buffer {
  startJson()
  writeEach(documents, comma, writeEntry)
  return endJson()
}

/** The same as lines of JSON. */
export function changeEntriesLines(documents: readonly Buffer[]): Buffer {
  startJson()
  writeEach(documents, newLine, writeEntry)
  if (documents.length > 0) writePiece(newLine)
  return endJson()
}

function writeEntry(bytes: Buffer): void {
  const places = changeEntryPlaces(bytes)
  writePiece(pieces.id)
  writeUuid(bytes, places.id)
  writePiece(pieces.userId)
  writeUuid(bytes, places.userId)
  writePiece(pieces.userName)
  writeText(bytes, places.userName)
  writePiece(pieces.userEmail)
  writeText(bytes, places.userEmail)
  writePiece(pieces.entityType)
  writeText(bytes, places.entityType)
  writePiece(pieces.entityId)
  writeText(bytes, places.entityId)
  writePiece(pieces.entityTitle)
  writeText(bytes, places.entityTitle)
  writePiece(pieces.actionType)
  writeText(bytes, places.actionType)
  writePiece(pieces.changedField)
  writeText(bytes, places.changedField)
  writePiece(pieces.createdAt)
  writeTime(bytes, places.createdAt)
  writePiece(pieces.beforeState)
  copyText(bytes, places.beforeState)
  writePiece(pieces.afterState)
  copyText(bytes, places.afterState)
  writePiece(pieces.end)
}
