import { limits, timeOfUuidV7 } from '@herald/contracts'
import type { Binary } from 'mongodb'
import { toKey, uuidIn } from '../binary.ts'
import type { JsonText, NotificationDocument } from '../notifications/notification-document.ts'
import type { DigestDocument } from './digest-document.ts'

/** Unread notifications of one recipient at one location whose time has come. */
export type DueGroup = Pick<NotificationDocument, 'locationId' | 'locationType'> & {
  readonly subscriberId: string
  readonly recipientId: string
  readonly keys: readonly Binary[]
}

export type DigestContent = {
  /** The keys of the notifications to announce, newest first; at least one. */
  readonly keys: readonly Binary[]
  /** All unread ones at the location. */
  readonly unreadCount: number
  /** The newest to announce. */
  readonly latest: JsonText
  readonly now: Date
  readonly unreadAfterMs: number
}

/** Longer than any of its notifications remains due, even if nothing ran for weeks. */
const keptMs = 30 * 24 * 60 * 60 * 1_000

export function toDigest(group: DueGroup, content: DigestContent): DigestDocument {
  const { subscriberId, recipientId, locationId, locationType } = group
  const { keys, unreadCount, latest, now, unreadAfterMs } = content
  const ids = keys.map((key) => uuidIn(key, 2))
  const times = ids.map((id) => timeOfUuidV7(id) ?? now.getTime())
  const oldest = times.reduce((least, time) => Math.min(least, time))
  const event = {
    ...{ recipientId, locationType, locationId: uuidIn(locationId) },
    notificationIds: ids.slice(0, limits.announcedIds),
    ...{ total: keys.length, unreadCount: Math.max(unreadCount, keys.length) },
  }
  const [due] = group.keys.map((key) => uuidIn(key, 2)).toSorted()
  return {
    _id: toKey(subscriberId, recipientId, due as string),
    v: 1,
    notifications: [...keys],
    time: new Date(oldest + unreadAfterMs),
    data: `${JSON.stringify(event).slice(0, -1)},"latest":${latest}}`,
    announceAt: now,
    keptUntil: new Date(now.getTime() + unreadAfterMs + keptMs),
  }
}
