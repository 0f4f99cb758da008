import { announcedTypes, formatTimestamp } from '@herald/contracts'
import type { AnnouncedContent, Announcement } from '@herald/store'
import type { OutgoingRecord } from '../events/dead-letter.ts'

const headers = { 'content-type': 'application/cloudevents+json' }

/** The records that announce a fact: one CloudEvent for each part. The same fact always has the same ids and times. */
export function toRecords(announcement: Announcement, source: string): OutgoingRecord[] {
  const { subscriberId, traceparent } = announcement
  const key = Buffer.from(subscriberId)
  const toRecord = (type: string, id: string, time: Date, data: string): OutgoingRecord => {
    const attributes = {
      ...{ specversion: '1.0', id, source, type, time: formatTimestamp(time), subscriberid: subscriberId },
      ...{ datacontenttype: 'application/json', traceparent },
    }
    return { key, value: Buffer.from(`${JSON.stringify(attributes).slice(0, -1)},"data":${data}}`), headers }
  }
  switch (announcement.kind) {
    case 'created': {
      const { notification, parts } = announcement
      const json = toNotificationJson(notification)
      return parts.map((recipientIds, index) => {
        const rest = JSON.stringify({ recipientIds, part: index + 1, parts: parts.length }).slice(1)
        const id = `${notification.id}/${index + 1}`
        return toRecord(
          announcedTypes.notificationCreated,
          id,
          notification.createdAt,
          `{"notification":${json},${rest}`,
        )
      })
    }
    case 'retracted': {
      const { notificationId, by, time, parts } = announcement
      return parts.map((recipientIds, index) => {
        const data = JSON.stringify({ notificationId, recipientIds, part: index + 1, parts: parts.length })
        return toRecord(
          announcedTypes.notificationRetracted,
          `${notificationId}/retracted/${by}/${index + 1}`,
          time,
          data,
        )
      })
    }
    case 'unread': {
      const { recipientId, newestId, time, data } = announcement
      return [toRecord(announcedTypes.notificationUnread, `${recipientId}/${newestId}/unread`, time, data)]
    }
  }
}

/** The form of specification 2.1 without recipients. The metadata are JSON already. */
function toNotificationJson({ metadata, actor, createdAt, ...notification }: AnnouncedContent): string {
  const { id, subscriberId, type, actorType, subjectId, subjectType, locationId, locationType } = notification
  const before = {
    ...{ id, subscriberId, type, actorId: actor.id, actorType },
    ...{ subjectId, subjectType, locationId, locationType },
  }
  const time = formatTimestamp(createdAt)
  const after = { createdAt: time, updatedAt: time, actor: { id: actor.id, name: actor.name, image: actor.image } }
  return `${JSON.stringify(before).slice(0, -1)},"metadata":${metadata},${JSON.stringify(after).slice(1)}`
}
