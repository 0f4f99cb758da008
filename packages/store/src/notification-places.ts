import { createDocumentReader, type FieldReader, startOfBinary } from './document-reader.ts'

/**
 * Where the values of a notification lie in the bytes of its document, for who writes them on without making anything of
 * them: of an id its 16 bytes, of a time its milliseconds as 64 bits (little-endian), of a text its bytes in UTF-8, behind
 * their count as 32 bits, in which a zero at the end is counted. 0 stands for what is absent.
 */
export type NotificationPlaces = {
  id: number
  createdAt: number
  type: number
  actorId: number
  actorName: number
  actorImage: number
  actorType: number
  subjectId: number
  subjectType: number
  locationId: number
  locationType: number
  metadata: number
  readAt: number
  emailSentAt: number
}

type Field = keyof NotificationPlaces

function place(field: Field, offset: number): FieldReader<NotificationPlaces> {
  return (places, _, at) => {
    places[field] = at + offset
  }
}

const ids = ['actorId', 'subjectId', 'locationId'] as const
const texts = ['type', 'actorName', 'actorImage', 'actorType', 'subjectType', 'locationType', 'metadata'] as const
const times = ['createdAt', 'readAt', 'emailSentAt'] as const

const read = createDocumentReader<NotificationPlaces>({
  // The key is subscriber ‖ recipient ‖ id.
  _id: place('id', startOfBinary(32)),
  ...Object.fromEntries(ids.map((field) => [field, place(field, startOfBinary(0))])),
  ...Object.fromEntries(texts.map((field) => [field, place(field, 4)])),
  ...Object.fromEntries(times.map((field) => [field, place(field, 0)])),
})

const fields = ['id', ...ids, ...texts, ...times] as const
const places = Object.fromEntries(fields.map((field) => [field, 0])) as NotificationPlaces

/** @returns what the next call overwrites: millions of documents pass here */
export function notificationPlaces(document: Buffer): Readonly<NotificationPlaces> {
  places.readAt = 0
  places.emailSentAt = 0
  return read(document, places)
}
