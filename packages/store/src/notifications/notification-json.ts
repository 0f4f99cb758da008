import { encode, encodeDocuments } from '../wire/byte-writer.ts'
import { documentForm, jsonText, jsonTime, uuid, verbatim } from '../wire/document-form.ts'
import { createPageEncoder } from '../wire/page-body.ts'
import type { NotificationDocument } from './notification-document.ts'

/** A notification in the form of specification 2.2. */
const writeNotification = documentForm<NotificationDocument>`{
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
  },
  "readAt":${jsonTime('readAt')},
  "emailSentAt":${jsonTime('emailSentAt')}
}`

/** The body of a response that contains a page of notifications. */
export const notificationPageBody = createPageEncoder('notifications', writeNotification)

const single = { opening: encode('{"data":'), closing: encode('}') } as const

/** The body of a response that contains one notification. */
export function notificationBody(document: Buffer): Buffer {
  return encodeDocuments([document], writeNotification, single)
}

export function notificationJson(document: Buffer): Buffer {
  return encodeDocuments([document], writeNotification)
}
