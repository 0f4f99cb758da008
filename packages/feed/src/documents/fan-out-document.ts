import { bytesToUuid, type LocationType } from '@herald/contracts'
import { later, toKey, toUuidBinary } from '@herald/mongo'
import { Binary } from 'mongodb'
import { type Muted, type NewNotification, toRequestContent } from './notification-document.ts'
import {
  bytesIn,
  decodePositions,
  encodePositions,
  positionsOf,
  recipientAt,
  toRecipientList,
} from './recipient-list.ts'

/** From whom one retraction retracted a notification. */
export type RetractionNote = {
  by: Binary
  at: Date
  /** Positions in `recipients`, ascending, two bytes each. */
  positions: Binary
  /** How many of them are in each part of the announcement, if the retraction also names others: parts are cut from all. */
  perPart?: Binary
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
  /** The recipients who had muted it when it was first stored, and when that was. Never changes. */
  muted?: { positions: Binary; at: Date }
  locationId: Binary
  locationType: LocationType
  actorId: Binary
  subjectId: Binary
  /** Created by `POST /`; absent for events. */
  via?: 'http'
  /** Requests keep their whole notification here, as JSON, until it is stored; from `dueAt` on another process finishes it. */
  content?: string
  dueAt?: Date
  /** Present until its creation is announced. `stored`: all recipients have it, so that the relay may announce it. */
  unannounced?: { stored?: true; traceparent?: string }
  /** Since when the relay has something to announce. */
  announceAt?: Date
  /** When recipients who have not read it are announced. */
  unreadAt?: Date
  /** Append-only. Each recipient is in at most one, so that their number and size are limited by that of the recipients. */
  retractions?: RetractionNote[]
}

/** Selects the announcements of stored notifications and applied retractions. */
export type Announcing = {
  isRecent(time: Date): boolean
  /** Called with the number of facts that are not announced because of their age. */
  onTooOld(count: number): void
  now(): Date
  /** The time after which unread notifications are announced; never without it. */
  readonly unreadAfterMs?: number | undefined
  /** How many digests of unread notifications a recipient gets in an hour; any number without it. */
  readonly unreadPerHour?: number | undefined
}

export function toFanOutDocument(
  notification: NewNotification,
  announcing?: Announcing,
  muted?: Muted,
): FanOutDocument {
  const { subscriberId, id, createdAt, recipientIds, locationId, locationType, actor, subjectId, via, finishBy } =
    notification
  const document: FanOutDocument = {
    _id: toKey(subscriberId, id),
    v: 1,
    createdAt,
    recipients: new Binary(toRecipientList(recipientIds)),
    locationId: toUuidBinary(locationId),
    locationType,
    actorId: toUuidBinary(actor.id),
    subjectId: toUuidBinary(subjectId),
  }
  if (muted !== undefined) {
    const positions = positionsOf(bytesIn(document.recipients), toRecipientList([...muted.recipientIds]))
    document.muted = { positions: new Binary(encodePositions(positions)), at: muted.at }
  }
  if (via !== undefined) document.via = via
  if (finishBy !== undefined) Object.assign(document, { content: toRequestContent(notification), dueAt: finishBy })
  if (announcing?.isRecent(createdAt)) Object.assign(document, toAnnounce(notification, announcing))
  return document
}

function toAnnounce({ createdAt, traceparent }: NewNotification, { unreadAfterMs, now }: Announcing) {
  const dueAt = (afterMs: number) => later(new Date(createdAt.getTime() + afterMs), now())
  const unread = unreadAfterMs === undefined ? {} : { unreadAt: dueAt(unreadAfterMs) }
  return { unannounced: traceparent === undefined ? {} : { traceparent }, ...unread }
}

/** Returns the recipients who had muted a notification, as {@link toFanOutDocument} noted them. */
export function mutedIn({ recipients, muted }: Pick<FanOutDocument, 'recipients' | 'muted'>): Muted | undefined {
  if (muted === undefined) return undefined
  const list = bytesIn(recipients)
  const ids = [...decodePositions(bytesIn(muted.positions))].map((position) => bytesToUuid(recipientAt(list, position)))
  return { at: muted.at, recipientIds: new Set(ids) }
}

export const mutedPositions = ({
  muted,
}: {
  readonly muted?: FanOutDocument['muted'] | undefined
}): Iterable<number> => (muted === undefined ? [] : decodePositions(bytesIn(muted.positions)))

type Removed = Pick<FanOutDocument, 'retractions' | 'erased'>

/** The positions of those from whom the notification was retracted, and of those who were erased. */
export function removedPositions({ retractions = [], erased }: Removed): Set<number> {
  const positions = new Set(erased && decodePositions(bytesIn(erased)))
  for (const note of retractions)
    for (const position of decodePositions(bytesIn(note.positions))) positions.add(position)
  return positions
}

export function remainingPositions(fanOut: Removed & Pick<FanOutDocument, 'recipients'>): number[] {
  const removed = removedPositions(fanOut)
  return positionsOf(bytesIn(fanOut.recipients), undefined).filter((position) => !removed.has(position))
}

export function* recipientKeys(
  { _id, recipients }: Pick<FanOutDocument, '_id' | 'recipients'>,
  positions: Iterable<number>,
): Generator<Binary> {
  const [subscriber, id] = [bytesIn(_id).subarray(0, 16), bytesIn(_id).subarray(16)]
  const list = bytesIn(recipients)
  for (const position of positions) yield new Binary(Buffer.concat([subscriber, recipientAt(list, position), id]))
}
