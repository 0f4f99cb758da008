import { changeEntryPlaces } from '@herald/store'
import {
  copyText,
  encode,
  endWriting,
  startWriting,
  writeBytes,
  writeEach,
  writeJsonText,
  writeJsonTime,
  writeLines,
  writeUuid,
} from '../byte-writer.ts'

const prefixes = {
  id: encode('{"id":"'),
  userId: encode('","user":{"id":"'),
  userName: encode('","name":'),
  userEmail: encode(',"email":'),
  entityType: encode('},"entityType":'),
  entityId: encode(',"entityId":'),
  entityTitle: encode(',"entityTitle":'),
  actionType: encode(',"actionType":'),
  changedField: encode(',"changedField":'),
  createdAt: encode(',"createdAt":'),
  beforeState: encode(',"beforeState":'),
  afterState: encode(',"afterState":'),
  end: encode('}'),
} as const

const pageOpening = encode('{"data":{"changeEntries":[')
const comma = encode(',')
const newLine = encode('\n')

/** Writes change entries as elements of a JSON array, with the same bytes as `changeEntryJson`. */
export function changeEntriesJson(documents: readonly Buffer[]): Buffer {
  startWriting()
  writeEach(documents, comma, writeEntry)
  return endWriting()
}

/** Writes change entries as lines of JSON. */
export function changeEntriesLines(documents: readonly Buffer[]): Buffer {
  startWriting()
  writeLines(documents, newLine, writeEntry)
  return endWriting()
}

/** Writes the response that contains a page of change entries. */
export function changeEntryPageJson(documents: readonly Buffer[], next: string | null): Buffer {
  startWriting()
  writeBytes(pageOpening)
  writeEach(documents, comma, writeEntry)
  writeBytes(encode(`],"nextCursor":${JSON.stringify(next)}}}`))
  return endWriting()
}

function writeEntry(bytes: Buffer): void {
  const places = changeEntryPlaces(bytes)
  writeBytes(prefixes.id)
  writeUuid(bytes, places.id)
  writeBytes(prefixes.userId)
  writeUuid(bytes, places.userId)
  writeBytes(prefixes.userName)
  writeJsonText(bytes, places.userName)
  writeBytes(prefixes.userEmail)
  writeJsonText(bytes, places.userEmail)
  writeBytes(prefixes.entityType)
  writeJsonText(bytes, places.entityType)
  writeBytes(prefixes.entityId)
  writeJsonText(bytes, places.entityId)
  writeBytes(prefixes.entityTitle)
  writeJsonText(bytes, places.entityTitle)
  writeBytes(prefixes.actionType)
  writeJsonText(bytes, places.actionType)
  writeBytes(prefixes.changedField)
  writeJsonText(bytes, places.changedField)
  writeBytes(prefixes.createdAt)
  writeJsonTime(bytes, places.createdAt)
  writeBytes(prefixes.beforeState)
  copyText(bytes, places.beforeState)
  writeBytes(prefixes.afterState)
  copyText(bytes, places.afterState)
  writeBytes(prefixes.end)
}
