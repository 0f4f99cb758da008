import type { LocationType } from '@herald/contracts'
import { Binary } from 'mongodb'
import { toKey, toUuidBinary } from '../binary.ts'
import type { NewNotification } from '../notifications/notification-document.ts'
import { bytesIn, decodePositions, toRecipientList } from './recipient-list.ts'
import { toContent } from './unfinished.ts'

/** The recipients of a notification that one retraction took it back from. */
export type TakenBack = {
  /** The id of the retraction's event. */
  by: Binary
  /** The time of the retraction. */
  at: Date
  /** Positions in `recipients`, ascending, two bytes each. */
  positions: Binary
}

/** One document per notification: its recipients, and everything that finds it again. Stored before the notification. */
export type FanOutDocument = {
  /** subscriber ‖ notification id, 32 bytes: the fan-outs of a subscriber are one range, in time order. */
  _id: Binary
  v: 1
  createdAt: Date
  /** All recipients that the event names, sorted, 16 bytes each. Never changes. */
  recipients: Binary
  locationId: Binary
  locationType: LocationType
  actorId: Binary
  /** Created by `POST /`; absent for events. */
  via?: 'http'
  /** Of a request: its whole notification as JSON, and when another process finishes it. Removed once it is stored. */
  content?: string
  dueAt?: Date
  /** Append-only. Each recipient is in at most one entry. */
  takenBack?: TakenBack[]
}

export function toFanOutDocument(notification: NewNotification): FanOutDocument {
  const { subscriberId, id, createdAt, recipientIds, locationId, locationType, actor, via, finishBy } = notification
  return {
    _id: toKey(subscriberId, id),
    v: 1,
    createdAt,
    recipients: new Binary(toRecipientList(recipientIds)),
    locationId: toUuidBinary(locationId),
    locationType,
    actorId: toUuidBinary(actor.id),
    ...(via === undefined ? {} : { via }),
    ...(finishBy === undefined ? {} : { content: toContent(notification), dueAt: finishBy }),
  }
}

/** The positions of all recipients that the notification was taken back from. */
export function takenBackPositions({ takenBack = [] }: Pick<FanOutDocument, 'takenBack'>): Set<number> {
  const positions = new Set<number>()
  for (const entry of takenBack)
    for (const position of decodePositions(bytesIn(entry.positions))) positions.add(position)
  return positions
}
