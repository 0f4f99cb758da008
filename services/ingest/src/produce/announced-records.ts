import { announcedEvents, formatTimestamp } from '@herald/contracts'
import type { Announcement } from '@herald/store'
import type { OutgoingRecord } from '../port/outgoing-record.ts'

const headers = { 'content-type': 'application/cloudevents+json' }

/** The records that announce a fact: one CloudEvent for each part. The same fact always has the same ids and times. */
export function toRecords(announcement: Announcement, source: string): OutgoingRecord[] {
  const { subscriberId, traceparent } = announcement
  const key = Buffer.from(subscriberId)
  const toRecord = (type: string, id: string, time: Date, data: string): OutgoingRecord => {
    const attributes = {
      specversion: '1.0',
      id,
      source,
      type,
      time: formatTimestamp(time),
      subscriberid: subscriberId,
      datacontenttype: 'application/json',
      traceparent,
    }
    return { key, value: Buffer.from(`${JSON.stringify(attributes).slice(0, -1)},"data":${data}}`), headers }
  }
  switch (announcement.kind) {
    case 'created': {
      const { notificationId, time, notification, parts } = announcement
      return parts.map((recipientIds, index) => {
        const rest = JSON.stringify({ recipientIds, part: index + 1, parts: parts.length }).slice(1)
        const data = `{"notification":${notification},${rest}`
        return toRecord(announcedEvents.notificationCreated.type, `${notificationId}/${index + 1}`, time, data)
      })
    }
    case 'retracted': {
      const { notificationId, by, time, parts } = announcement
      return parts.map((recipientIds, index) => {
        const data = JSON.stringify({ notificationId, recipientIds, part: index + 1, parts: parts.length })
        return toRecord(
          announcedEvents.notificationRetracted.type,
          `${notificationId}/retracted/${by}/${index + 1}`,
          time,
          data,
        )
      })
    }
    case 'unread': {
      const { recipientId, newestId, time, data } = announcement
      return [toRecord(announcedEvents.notificationUnread.type, `${recipientId}/${newestId}/unread`, time, data)]
    }
  }
}
