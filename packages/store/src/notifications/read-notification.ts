import { actorTypes, bytesToUuid, locationTypes, notificationTypes, subjectTypes } from '@herald/contracts'
import {
  createDocumentReader,
  createTextReader,
  type FieldReader,
  readDate,
  readText,
  startOfBinary,
} from '../wire/document-reader.ts'
import type { StoredNotification } from './notification-document.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends object ? Mutable<T[K]> : T[K] }
type Target = Omit<Mutable<StoredNotification>, 'createdAt' | 'readAt' | 'emailSentAt'> & {
  createdAt: Date
  readAt: Date | null
  emailSentAt: Date | null
}

const uuidIn = (bytes: Buffer, at: number, offset = 0) => bytesToUuid(bytes, startOfBinary(at) + offset)

/** A field with the same name in document and notification. */
function field<K extends keyof Target>(key: K, value: (bytes: Buffer, at: number) => Target[K]): FieldReader<Target> {
  return (target, bytes, at) => {
    target[key] = value(bytes, at)
  }
}

function actorField(key: keyof Target['actor'], value: (bytes: Buffer, at: number) => string): FieldReader<Target> {
  return (target, bytes, at) => {
    target.actor[key] = value(bytes, at)
  }
}

const read = createDocumentReader<Target>({
  _id: field('id', (bytes, at) => uuidIn(bytes, at, 32)),
  createdAt: field('createdAt', readDate),
  type: field('type', createTextReader(notificationTypes)),
  actorId: actorField('id', uuidIn),
  actorName: actorField('name', readText),
  actorImage: actorField('image', readText),
  actorType: field('actorType', createTextReader(actorTypes)),
  subjectId: field('subjectId', uuidIn),
  subjectType: field('subjectType', createTextReader(subjectTypes)),
  locationId: field('locationId', uuidIn),
  locationType: field('locationType', createTextReader(locationTypes)),
  metadata: field('metadata', readText),
  readAt: field('readAt', readDate),
  emailSentAt: field('emailSentAt', readDate),
})

/** Reads a notification from the bytes of its document, with the same result as `fromNotificationDocument`. */
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
