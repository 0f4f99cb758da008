import { limits, timeOfUuidV7 } from '@herald/contracts'
import { type JsonText, later, uuidIn } from '@herald/mongo'
import type { Binary } from 'mongodb'
import type { DigestDocument } from '../documents/collections.ts'
import type { NotificationDocument } from '../documents/notification-document.ts'
import type { Slot } from './slots.ts'

/** Unread notifications of one recipient at one location whose time has come. */
export type DueGroup = Pick<NotificationDocument, 'locationId' | 'locationType'> & {
  readonly subscriberId: string
  readonly recipientId: string
  readonly keys: readonly Binary[]
}

export type DigestContent = {
  /** The next key of a digest of the location, read before anything else. */
  readonly _id: Binary
  /** The keys of the notifications to announce, newest first; at least one. */
  readonly keys: readonly Binary[]
  readonly unreadCount: number
  readonly latest: JsonText
  readonly now: Date
  readonly unreadAfterMs: number
  /** The time by MongoDB's clock. */
  readonly keptFrom: Date
  readonly slot: Slot | undefined
}

/** Longer than any of its notifications remains due, and than a topic is unavailable. */
const keptMs = 30 * 24 * 60 * 60 * 1_000

export function toDigest(group: DueGroup, content: DigestContent): DigestDocument {
  const { recipientId, locationId, locationType } = group
  const { _id, keys, unreadCount, latest, now, unreadAfterMs, keptFrom, slot } = content
  const ids = keys.map((key) => uuidIn(key, 2))
  const times = ids.map((id) => timeOfUuidV7(id) ?? now.getTime())
  const oldest = times.reduce((least, time) => Math.min(least, time))
  const time = new Date(oldest + unreadAfterMs)
  const event = {
    recipientId,
    locationType: slot?.isRest ? null : locationType,
    locationId: slot?.isRest ? null : uuidIn(locationId),
    notificationIds: ids.slice(0, limits.announcedIds),
    total: keys.length,
    unreadCount: Math.max(unreadCount, keys.length),
  }
  return {
    _id,
    v: 1,
    notifications: [...keys],
    time: slot === undefined ? time : later(time, new Date(slot.hour)),
    ...(slot && { slot: slot.key }),
    data: `${JSON.stringify(event).slice(0, -1)},"latest":${latest}}`,
    announceAt: now,
    expiresAt: new Date(keptFrom.getTime() + unreadAfterMs + keptMs),
  }
}
