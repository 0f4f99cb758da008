import { limits, timeOfUuidV7 } from '@herald/contracts'
import { Binary, type Collection } from 'mongodb'
import { toKey } from '../binary.ts'
import type { NewNotification } from '../notifications/notification-document.ts'
import { readLimits } from '../reading/read-limits.ts'
import type { Heads } from '../reading/recent-heads.ts'
import { bytesIn, type RecipientList, recipientIdsIn, toRecipientList } from './recipient-list.ts'
import type { TombstoneDocument } from './tombstone-document.ts'
import { findHeads, type TombstoneHead } from './tombstone-heads.ts'

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
  /** From then on, another process finishes it if this one has died. For requests by id, which are not redelivered. */
  readonly finishBy?: Date | undefined
  /** W3C Trace Context of the event or request, for announcements. */
  readonly traceparent?: string | undefined
}

/** The tombstones that apply to a notification. Their recipients may be others than those of the notification. */
type Applying = ReadonlyMap<NewNotification, readonly TombstoneDocument[]>

/** The tombstones that apply to some notifications, and the version of the heads at which they were read. */
type Look = { readonly applying: Applying; readonly heads: Heads }

export type Tombstones = {
  /** Finds the tombstones that apply to these notifications. With an earlier look, only searches what has changed since. */
  look(notifications: readonly NewNotification[], earlier?: Look): Promise<Look>
}

const forever = new Date('9999-12-31T23:59:59.999Z')

const locationTarget = (subscriberId: string, locationId: string, locationType: string) =>
  new Binary(Buffer.concat([toKey(subscriberId, locationId).buffer, Buffer.from(locationType)]))

export function toTombstone({
  subscriberId,
  eventId,
  time,
  target,
  recipientIds,
  finishBy,
  traceparent,
}: Retraction): TombstoneDocument {
  const common = {
    _id: toKey(subscriberId, eventId),
    v: 1,
    time,
    ...(recipientIds === undefined ? {} : { recipients: new Binary(toRecipientList(recipientIds)) }),
    ...(traceparent === undefined ? {} : { traceparent }),
  } as const
  if ('notificationId' in target) {
    const createdAt = timeOfUuidV7(target.notificationId)
    const until = createdAt === undefined ? forever : new Date(createdAt)
    // The notification may be newer than its retraction, if clocks differ, and is then kept for longer.
    const keptFrom = createdAt === undefined || createdAt < time.getTime() ? time : until
    const due = finishBy === undefined ? {} : { dueAt: finishBy }
    return { ...common, target: toKey(subscriberId, target.notificationId), until, keptFrom, ...due }
  }
  return {
    ...common,
    target: locationTarget(subscriberId, target.locationId, target.locationType),
    until: time,
    keptFrom: time,
  }
}

/** Whether the notification is not too late for a tombstone. */
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

export function createTombstones(
  collection: Collection<TombstoneDocument>,
  heads: Collection<TombstoneHead>,
): Tombstones {
  return {
    async look(notifications, earlier) {
      const found = await findHeads(heads, notifications)
      const searched = notifications.filter((notification) => {
        const head = found.get(notification.subscriberId)
        if (head === undefined || !isInTime(head.until, notification)) return false
        return head.version !== earlier?.heads.get(notification.subscriberId)?.version
      })
      if (searched.length === 0) return { applying: earlier?.applying ?? new Map(), heads: found }
      const applying = await search(collection, searched)
      return { applying: new Map([...(earlier?.applying ?? []), ...applying]), heads: found }
    },
  }
}

async function search(
  collection: Collection<TombstoneDocument>,
  notifications: readonly NewNotification[],
): Promise<Applying> {
  const byTarget = groupByTarget(notifications)
  const subscribers = notifications.map(({ subscriberId }) => subscriberId).sort()
  const earliest = notifications.reduce((least, { createdAt }) => Math.min(least, createdAt.getTime()), Infinity)
  const found = collection.find(
    {
      target: { $in: [...byTarget.values()].map(({ target }) => target) },
      until: { $gte: new Date(earliest - limits.retractionClockMs) },
      // Keeps the query on the shards of these subscribers.
      _id: { $gte: toKey(subscribers[0] as string, leastId), $lte: toKey(subscribers.at(-1) as string, greatestId) },
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
