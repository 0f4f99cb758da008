import { actorTypes, bytesToUuid, locationTypes, notificationTypes, subjectTypes } from '@herald/contracts'
import { createDocumentReader, createTextReader, readDate, readText, startOfBinary } from './document-reader.ts'
import type { StoredNotification } from './notification-document.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends object ? Mutable<T[K]> : T[K] }
type Target = Omit<Mutable<StoredNotification>, 'createdAt' | 'readAt' | 'emailSentAt'> & {
  createdAt: Date
  readAt: Date | null
  emailSentAt: Date | null
}

const typeIn = createTextReader(notificationTypes)
const actorTypeIn = createTextReader(actorTypes)
const subjectTypeIn = createTextReader(subjectTypes)
const locationTypeIn = createTextReader(locationTypes)
const uuidIn = (bytes: Buffer, at: number, offset = 0) => bytesToUuid(bytes, startOfBinary(at) + offset)

const read = createDocumentReader<Target>({
  _id: (target, bytes, at) => {
    target.id = uuidIn(bytes, at, 32)
  },
  createdAt: (target, bytes, at) => {
    target.createdAt = readDate(bytes, at)
  },
  type: (target, bytes, at) => {
    target.type = typeIn(bytes, at)
  },
  actorId: (target, bytes, at) => {
    target.actor.id = uuidIn(bytes, at)
  },
  actorName: (target, bytes, at) => {
    target.actor.name = readText(bytes, at)
  },
  actorImage: (target, bytes, at) => {
    target.actor.image = readText(bytes, at)
  },
  actorType: (target, bytes, at) => {
    target.actorType = actorTypeIn(bytes, at)
  },
  subjectId: (target, bytes, at) => {
    target.subjectId = uuidIn(bytes, at)
  },
  subjectType: (target, bytes, at) => {
    target.subjectType = subjectTypeIn(bytes, at)
  },
  locationId: (target, bytes, at) => {
    target.locationId = uuidIn(bytes, at)
  },
  locationType: (target, bytes, at) => {
    target.locationType = locationTypeIn(bytes, at)
  },
  metadata: (target, bytes, at) => {
    target.metadata = readText(bytes, at)
  },
  readAt: (target, bytes, at) => {
    target.readAt = readDate(bytes, at)
  },
  emailSentAt: (target, bytes, at) => {
    target.emailSentAt = readDate(bytes, at)
  },
})

/** A notification from the bytes of its document: the same as `fromNotificationDocument` of what the driver reads. */
export function readNotification(bytes: Buffer, subscriberId: string): StoredNotification {
  return read(bytes, {
    id: '',
    subscriberId,
    type: 'mention',
    actor: { id: '', name: '', image: '' },
    actorType: 'user',
    subjectId: '',
    subjectType: 'user',
    locationId: '',
    locationType: 'entity',
    metadata: '{}',
    createdAt: undefined as unknown as Date,
    readAt: null,
    emailSentAt: null,
  })
}
