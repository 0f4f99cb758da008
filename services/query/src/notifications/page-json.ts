import { type NotificationPlaces, notificationPlaces } from '@herald/store'
import {
  copyText,
  endWriting,
  piece,
  startWriting,
  writeEach,
  writeJsonText,
  writeJsonTime,
  writePiece,
  writeUuid,
} from '../byte-writer.ts'

const pieces = {
  id: piece('{"id":"'),
  subscriberId: piece('","subscriberId":"'),
  type: piece('","type":"'),
  actorId: piece('","actorId":"'),
  actorType: piece('","actorType":"'),
  subjectId: piece('","subjectId":"'),
  subjectType: piece('","subjectType":"'),
  locationId: piece('","locationId":"'),
  locationType: piece('","locationType":"'),
  metadata: piece('","metadata":'),
  createdAt: piece(',"createdAt":'),
  updatedAt: piece(',"updatedAt":'),
  actor: piece(',"actor":{"id":"'),
  name: piece('","name":'),
  image: piece(',"image":'),
  readAt: piece('},"readAt":'),
  emailSentAt: piece(',"emailSentAt":'),
  end: piece('}'),
} as const

const opening = piece('{"data":{"notifications":[')
const comma = piece(',')

/**
 * The answer that holds these notifications, all of one subscriber: of each what `notificationJson` says of it, byte for
 * byte.
 */
export function pageJson(documents: readonly Buffer[], subscriberId: string, next: string | null): Buffer {
  const subscriber = piece(subscriberId)
  startWriting()
  writePiece(opening)
  writeEach(documents, comma, (document) => writeNotification(document, notificationPlaces(document), subscriber))
  writePiece(piece(`],"nextCursor":${JSON.stringify(next)}}}`))
  return endWriting()
}

function writeNotification(bytes: Buffer, places: Readonly<NotificationPlaces>, subscriber: Uint8Array): void {
  writePiece(pieces.id)
  writeUuid(bytes, places.id)
  writePiece(pieces.subscriberId)
  writePiece(subscriber)
  writePiece(pieces.type)
  copyText(bytes, places.type)
  writePiece(pieces.actorId)
  writeUuid(bytes, places.actorId)
  writePiece(pieces.actorType)
  copyText(bytes, places.actorType)
  writePiece(pieces.subjectId)
  writeUuid(bytes, places.subjectId)
  writePiece(pieces.subjectType)
  copyText(bytes, places.subjectType)
  writePiece(pieces.locationId)
  writeUuid(bytes, places.locationId)
  writePiece(pieces.locationType)
  copyText(bytes, places.locationType)
  writePiece(pieces.metadata)
  copyText(bytes, places.metadata)
  writePiece(pieces.createdAt)
  writeJsonTime(bytes, places.createdAt)
  writePiece(pieces.updatedAt)
  writeJsonTime(bytes, places.createdAt)
  writePiece(pieces.actor)
  writeUuid(bytes, places.actorId)
  writePiece(pieces.name)
  writeJsonText(bytes, places.actorName)
  writePiece(pieces.image)
  writeJsonText(bytes, places.actorImage)
  writePiece(pieces.readAt)
  writeJsonTime(bytes, places.readAt)
  writePiece(pieces.emailSentAt)
  writeJsonTime(bytes, places.emailSentAt)
  writePiece(pieces.end)
}
