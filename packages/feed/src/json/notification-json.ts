import {
  asBuffer,
  createPageEncoder,
  documentForm,
  encodeDocuments,
  fields,
  type JsonText,
  jsonText,
  jsonTime,
  jsonTimeIfSet,
  toWords,
  uuid,
  verbatim,
} from '@herald/mongo'
import { BSON } from 'mongodb'
import {
  type NewNotification,
  type NotificationDocument,
  toNotificationDocuments,
} from '../documents/notification-document.ts'

/** The content of a notification, the same for all of its recipients. */
const content = fields<NotificationDocument>`
  "id":"${uuid('_id', 2)}",
  "subscriberId":"${uuid('_id', 0)}",
  "type":"${verbatim('type')}",
  "actorId":"${uuid('actorId')}",
  "actorType":"${verbatim('actorType')}",
  "subjectId":"${uuid('subjectId')}",
  "subjectType":"${verbatim('subjectType')}",
  "locationId":"${uuid('locationId')}",
  "locationType":"${verbatim('locationType')}",
  "metadata":${verbatim('metadata')},
  "createdAt":${jsonTime('createdAt')},
  "updatedAt":${jsonTime('updatedAt', 'createdAt')},
  "actor":{
    "id":"${uuid('actorId')}",
    "name":${jsonText('actorName')},
    "image":${jsonText('actorImage')}
  }`

/** A notification in the form of specification 2.2. */
const writeNotification = documentForm<NotificationDocument>`{
  ${content},
  "readAt":${jsonTime('readAt')},
  "emailSentAt":${jsonTime('emailSentAt')}
  ${jsonTimeIfSet('archivedAt')}
  ${jsonTimeIfSet('mutedAt')}
}`

/** A notification as it is announced: the form of specification 2.1 without recipients. */
const writeAnnounced = documentForm<NotificationDocument>`{${content}}`

export const notificationPageBody = createPageEncoder('notifications', writeNotification)

const single = { opening: toWords('{"data":'), closing: toWords('}') } as const

export function notificationBody(document: Buffer): Buffer {
  return encodeDocuments([document], writeNotification, single)
}

export function notificationJson(document: Buffer): Buffer {
  return encodeDocuments([document], writeNotification)
}

export function announcedJson(document: Buffer): JsonText {
  return encodeDocuments([document], writeAnnounced).toString()
}

/** Returns the announced content of a notification as it is stored. */
export function contentOf(notification: NewNotification): JsonText {
  const [document = {}] = toNotificationDocuments(notification)
  return announcedJson(asBuffer(BSON.serialize(document)))
}

/** The response of the request that created a notification, in the form of specification 2.1. */
export function createdBody(notification: NewNotification): JsonText {
  const recipients = notification.recipientIds.map((recipientId) => ({ recipientId, readAt: null, emailSentAt: null }))
  return `{"data":${contentOf(notification).slice(0, -1)},"recipients":${JSON.stringify(recipients)}}}`
}
