import { announcedEvents, formatTimestamp } from '@herald/contracts'
import type { Announcement } from '@herald/feed'
import type { OutgoingRecord } from '@herald/kafka'

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
  if (announcement.kind === 'unread') {
    const { recipientId, newestId, time, data } = announcement
    return [toRecord(announcedEvents.notificationUnread.type, `${recipientId}/${newestId}/unread`, time, data)]
  }
  const { kind, notificationId, time, parts } = announcement
  const [{ type }, id, content] =
    kind === 'created'
      ? [announcedEvents.notificationCreated, notificationId, `"notification":${announcement.notification}`]
      : [
          announcedEvents.notificationRetracted,
          `${notificationId}/retracted/${announcement.by}`,
          `"notificationId":"${notificationId}"`,
        ]
  return parts.map((recipientIds, index) => {
    const rest = JSON.stringify({ recipientIds, part: index + 1, parts: parts.length }).slice(1)
    return toRecord(type, `${id}/${index + 1}`, time, `{${content},${rest}`)
  })
}
