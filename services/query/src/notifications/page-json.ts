import { type NotificationPlaces, notificationPlaces } from '@herald/store'
import {
  copyText,
  encode,
  endWriting,
  startWriting,
  writeBytes,
  writeEach,
  writeJsonText,
  writeJsonTime,
  writeUuid,
} from '../byte-writer.ts'

const prefixes = {
  id: encode('{"id":"'),
  subscriberId: encode('","subscriberId":"'),
  type: encode('","type":"'),
  actorId: encode('","actorId":"'),
  actorType: encode('","actorType":"'),
  subjectId: encode('","subjectId":"'),
  subjectType: encode('","subjectType":"'),
  locationId: encode('","locationId":"'),
  locationType: encode('","locationType":"'),
  metadata: encode('","metadata":'),
  createdAt: encode(',"createdAt":'),
  updatedAt: encode(',"updatedAt":'),
  actor: encode(',"actor":{"id":"'),
  name: encode('","name":'),
  image: encode(',"image":'),
  readAt: encode('},"readAt":'),
  emailSentAt: encode(',"emailSentAt":'),
  end: encode('}'),
} as const

const opening = encode('{"data":{"notifications":[')
const comma = encode(',')

/** Writes the response with these notifications of one subscriber, with the same bytes as `notificationJson`. */
export function pageJson(documents: readonly Buffer[], subscriberId: string, next: string | null): Buffer {
  const subscriber = encode(subscriberId)
  startWriting()
  writeBytes(opening)
  writeEach(documents, comma, (document) => writeNotification(document, notificationPlaces(document), subscriber))
  writeBytes(encode(`],"nextCursor":${JSON.stringify(next)}}}`))
  return endWriting()
}

function writeNotification(bytes: Buffer, places: Readonly<NotificationPlaces>, subscriber: Uint8Array): void {
  writeBytes(prefixes.id)
  writeUuid(bytes, places.id)
  writeBytes(prefixes.subscriberId)
  writeBytes(subscriber)
  writeBytes(prefixes.type)
  copyText(bytes, places.type)
  writeBytes(prefixes.actorId)
  writeUuid(bytes, places.actorId)
  writeBytes(prefixes.actorType)
  copyText(bytes, places.actorType)
  writeBytes(prefixes.subjectId)
  writeUuid(bytes, places.subjectId)
  writeBytes(prefixes.subjectType)
  copyText(bytes, places.subjectType)
  writeBytes(prefixes.locationId)
  writeUuid(bytes, places.locationId)
  writeBytes(prefixes.locationType)
  copyText(bytes, places.locationType)
  writeBytes(prefixes.metadata)
  copyText(bytes, places.metadata)
  writeBytes(prefixes.createdAt)
  writeJsonTime(bytes, places.createdAt)
  writeBytes(prefixes.updatedAt)
  writeJsonTime(bytes, places.createdAt)
  writeBytes(prefixes.actor)
  writeUuid(bytes, places.actorId)
  writeBytes(prefixes.name)
  writeJsonText(bytes, places.actorName)
  writeBytes(prefixes.image)
  writeJsonText(bytes, places.actorImage)
  writeBytes(prefixes.readAt)
  writeJsonTime(bytes, places.readAt)
  writeBytes(prefixes.emailSentAt)
  writeJsonTime(bytes, places.emailSentAt)
  writeBytes(prefixes.end)
}
