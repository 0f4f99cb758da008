import type { LocationType } from '@herald/contracts'
import { Binary } from 'mongodb'
import type { Announcing } from '../announcements/announcing.ts'
import { toKey, toUuidBinary } from '../binary.ts'
import type { NewNotification } from '../notifications/notification-document.ts'
import { bytesIn, decodePositions, recipientIdsIn, toRecipientList } from './recipient-list.ts'
import { toContent } from './request-content.ts'

/** The recipients of a notification that one retraction took it back from. */
export type TakenBack = {
  /** The id of the retraction's event. */
  by: Binary
  /** The time of the retraction. */
  at: Date
  /** Positions in `recipients`, ascending, two bytes each. */
  positions: Binary
  /** The positions of all recipients that the retraction names, if others were taken back before. */
  named?: Binary
  /** Present until it is announced. */
  unannounced?: { traceparent?: string }
}

/** One document per notification: its recipients, and everything that finds it again. Stored before the notification. */
export type FanOutDocument = {
  /** subscriber ‖ notification id, 32 bytes: the fan-outs of a subscriber are one range, in time order. */
  _id: Binary
  v: 1
  createdAt: Date
  /** All recipients that the event names, sorted, 16 bytes each. Only those who are erased become zeros. */
  recipients: Binary
  /** The positions of the erased ones, ascending, two bytes each. */
  erased?: Binary
  locationId: Binary
  locationType: LocationType
  actorId: Binary
  /** Absent in documents of an earlier release. */
  subjectId?: Binary
  /** Created by `POST /`; absent for events. */
  via?: 'http'
  /** Of a request: its whole notification as JSON, and when another process finishes it. Removed once it is stored. */
  content?: string
  dueAt?: Date
  /** Present until its creation is announced. `stored`: all recipients have it, so that the relay may announce it. */
  unannounced?: { stored?: true; traceparent?: string }
  /** Since when the relay has something to announce. */
  announceAt?: Date
  /** When recipients who have not read it are announced. */
  unreadAt?: Date
  /** Append-only. Each recipient is in at most one entry. */
  takenBack?: TakenBack[]
}

export function toFanOutDocument(notification: NewNotification, announcing?: Announcing): FanOutDocument {
  const { subscriberId, id, createdAt, recipientIds, locationId, locationType, actor, subjectId, via, finishBy } =
    notification
  return {
    _id: toKey(subscriberId, id),
    v: 1,
    createdAt,
    recipients: new Binary(toRecipientList(recipientIds)),
    locationId: toUuidBinary(locationId),
    locationType,
    actorId: toUuidBinary(actor.id),
    subjectId: toUuidBinary(subjectId),
    ...(via === undefined ? {} : { via }),
    ...(finishBy === undefined ? {} : { content: toContent(notification), dueAt: finishBy }),
    ...(announcing?.isRecent(createdAt) === true ? toAnnounce(notification, announcing) : {}),
  }
}

function toAnnounce({ createdAt, traceparent }: NewNotification, { unreadAfterMs }: Announcing) {
  const unread = unreadAfterMs === undefined ? {} : { unreadAt: new Date(createdAt.getTime() + unreadAfterMs) }
  return { unannounced: traceparent === undefined ? {} : { traceparent }, ...unread }
}

/** The positions of all recipients that the notification was taken back from, or who were erased. */
export function gonePositions({ takenBack = [], erased }: Pick<FanOutDocument, 'takenBack' | 'erased'>): Set<number> {
  const positions = new Set(erased && decodePositions(bytesIn(erased)))
  for (const entry of takenBack)
    for (const position of decodePositions(bytesIn(entry.positions))) positions.add(position)
  return positions
}

/** The recipients of a notification without those who were erased. */
export function* recipientsIn({
  recipients,
  erased,
}: Pick<FanOutDocument, 'recipients' | 'erased'>): Generator<string> {
  const gone = new Set(erased && decodePositions(bytesIn(erased)))
  let position = 0
  for (const id of recipientIdsIn(bytesIn(recipients))) if (!gone.has(position++)) yield id
}
