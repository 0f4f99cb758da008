import { limits, timeOfUuidV7 } from '@herald/contracts'
import { Binary, type Collection } from 'mongodb'
import { toKey } from '../binary.ts'
import type { NewNotification } from '../notifications/notification-document.ts'
import { readLimits } from '../reading/read-limits.ts'
import { bytesIn, type RecipientList, recipientIdsIn, toRecipientList } from './recipient-list.ts'

/** Which notifications a retraction takes back: one of them, or those of a location up to the retraction's time. */
export type RetractionTarget =
  | { readonly notificationId: string }
  | { readonly locationType: string; readonly locationId: string }

/** Takes notifications back from all of their recipients, or only from `recipientIds`. */
export type Retraction = {
  readonly subscriberId: string
  /** The id derived from the event. */
  readonly eventId: string
  readonly time: Date
  readonly target: RetractionTarget
  readonly recipientIds?: readonly string[] | undefined
}

/** A retraction, kept so that what it took back stays away when its event is replayed or arrives later. */
export type TombstoneDocument = {
  /** subscriber ‖ id of the retraction's event, 32 bytes. */
  _id: Binary
  v: 1
  /** subscriber ‖ notification id, 32 bytes, or subscriber ‖ location id ‖ location type, longer. */
  target: Binary
  /** The latest `createdAt` that it applies to. */
  until: Date
  time: Date
  /** Only these recipients, sorted, 16 bytes each; absent for all. */
  recipients?: Binary
  /** The key of the last fan-out of the location that was taken back; a retry continues after it. */
  doneUpTo?: Binary
  /** Everything that was stored before the tombstone has been taken back. */
  done?: true
  /** The start of the retention period. */
  keptFrom: Date
}

/** The tombstones that apply to a notification. Their recipients may be others than those of the notification. */
export type Applying = ReadonlyMap<NewNotification, readonly TombstoneDocument[]>

export type Tombstones = {
  /** The tombstones that apply to these notifications, in one query. */
  findFor(notifications: readonly NewNotification[]): Promise<Applying>
}

const forever = new Date('9999-12-31T23:59:59.999Z')

const locationTarget = (subscriberId: string, locationId: string, locationType: string) =>
  new Binary(Buffer.concat([toKey(subscriberId, locationId).buffer, Buffer.from(locationType)]))

export function toTombstone({ subscriberId, eventId, time, target, recipientIds }: Retraction): TombstoneDocument {
  const common = {
    _id: toKey(subscriberId, eventId),
    v: 1,
    time,
    ...(recipientIds === undefined ? {} : { recipients: new Binary(toRecipientList(recipientIds)) }),
  } as const
  if ('notificationId' in target) {
    const { notificationId } = target
    // The notification may be newer than its retraction, if clocks differ, and is then kept for longer.
    const keptFrom = new Date(Math.max(time.getTime(), timeOfUuidV7(notificationId) ?? 0))
    return { ...common, target: toKey(subscriberId, notificationId), until: forever, keptFrom }
  }
  return {
    ...common,
    target: locationTarget(subscriberId, target.locationId, target.locationType),
    until: time,
    keptFrom: time,
  }
}

/** Whether a retraction by location concerns a notification. By id it always does. */
export function isInTime(until: Date, { createdAt, via }: Pick<NewNotification, 'createdAt' | 'via'>): boolean {
  return createdAt.getTime() <= until.getTime() + (via === 'http' ? limits.retractionClockMs : 0)
}

/** The recipients of the notification that no tombstone names. */
export function recipientsLeft(
  { recipientIds }: NewNotification,
  tombstones: readonly TombstoneDocument[],
): readonly string[] {
  let left = recipientIds
  for (const tombstone of tombstones) {
    const taken = recipientsOf(tombstone)
    if (taken === undefined) return []
    const ids = new Set(recipientIdsIn(taken))
    left = left.filter((id) => !ids.has(id))
  }
  return left
}

export function recipientsOf({ recipients }: TombstoneDocument): RecipientList | undefined {
  return recipients && bytesIn(recipients)
}

export function createTombstones(collection: Collection<TombstoneDocument>): Tombstones {
  return {
    async findFor(notifications) {
      const byTarget = groupByTarget(notifications)
      if (byTarget.size === 0) return new Map()
      const subscribers = notifications.map(({ subscriberId }) => subscriberId).sort()
      const earliest = Math.min(...notifications.map(({ createdAt }) => createdAt.getTime()))
      const found = collection.find(
        {
          target: { $in: [...byTarget.values()].map(({ target }) => target) },
          until: { $gte: new Date(earliest - limits.retractionClockMs) },
          // Keeps the query on the shards of these subscribers.
          _id: {
            $gte: toKey(subscribers[0] as string, leastId),
            $lte: toKey(subscribers.at(-1) as string, greatestId),
          },
        },
        { ...readLimits, hint: 'target' },
      )
      const applying = new Map<NewNotification, TombstoneDocument[]>()
      for await (const tombstone of found) {
        for (const notification of byTarget.get(hex(tombstone.target))?.notifications ?? []) {
          if (!isInTime(tombstone.until, notification)) continue
          const others = applying.get(notification)
          if (others) others.push(tombstone)
          else applying.set(notification, [tombstone])
        }
      }
      return applying
    },
  }
}

const leastId = '00000000-0000-0000-0000-000000000000'
const greatestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const hex = (binary: Binary) => binary.toString('hex')

type Targets = Map<string, { readonly target: Binary; readonly notifications: NewNotification[] }>

function groupByTarget(notifications: readonly NewNotification[]): Targets {
  const targets: Targets = new Map()
  for (const notification of notifications) {
    const { subscriberId, id, locationId, locationType } = notification
    for (const target of [toKey(subscriberId, id), locationTarget(subscriberId, locationId, locationType)]) {
      const known = targets.get(hex(target))
      if (known) known.notifications.push(notification)
      else targets.set(hex(target), { target, notifications: [notification] })
    }
  }
  return targets
}
