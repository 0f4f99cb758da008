import { limits } from '@herald/contracts'
import { createGuard, type Guard, greatestId, hex, leastId, readLimits, toKey, uuidIn } from '@herald/mongo'
import type { Binary } from 'mongodb'
import type { FeedCollections } from '../documents/collections.ts'
import { type NewNotification, notificationKey } from '../documents/notification-document.ts'
import { type RecipientList, recipientIdsIn } from '../documents/recipient-list.ts'
import { isInTime, locationTarget, type TombstoneDocument } from '../documents/tombstone-document.ts'
import { mergedByTarget, type TargetTombstones } from './target-tombstones.ts'

/** The recipients who are left of a notification, by the retractions that apply to it. */
export type Tombstones = Guard<NewNotification, NewNotification, Set<string>> & {
  /** Reads the retractions that apply to these notifications, to be noted in their fan-outs. */
  applyingTo(notifications: readonly NewNotification[]): AsyncIterable<ToRetract>
}

/** A fan-out by its key, and the retractions that apply to its recipients. */
export type ToRetract = {
  readonly key: Binary
  readonly tombstonesFor: (recipients: RecipientList) => readonly TombstoneDocument[]
  /** Kept in memory for it. */
  readonly bytes: number
}

/** A tombstone has at most 160 KB. */
const tombstonesPerRead = 64
/** Each query has its own time limit, so one that has returned so much is followed by another. */
const bytesPerQuery = 16 * 1024 * 1024

export function createTombstones({
  tombstones,
  tombstoneHeads: heads,
}: Pick<FeedCollections, 'tombstones' | 'tombstoneHeads'>): Tombstones {
  /** Reads one target after the other, because any number of tombstones may apply. */
  async function* targetsOf(notifications: readonly NewNotification[]) {
    const byTarget = notificationsByTarget(notifications)
    const earliest = notifications.reduce((least, { createdAt }) => Math.min(least, createdAt.getTime()), Infinity)
    const until = { $gte: new Date(earliest - limits.retractionClockMs) }
    for (let bytes = bytesPerQuery; byTarget.size > 0 && bytes >= bytesPerQuery; ) {
      bytes = 0
      const where = { ...withTargets([...byTarget.values()].map(({ target }) => target)), until }
      const options = { ...readLimits, hint: 'target', sort: { target: 1 }, batchSize: tombstonesPerRead } as const
      for await (const merged of mergedByTarget(tombstones.find(where, options))) {
        const { ofTarget } = byTarget.get(hex(merged.target)) as OfTarget
        yield { merged, concerned: ofTarget.filter(merged.mayApplyTo) }
        byTarget.delete(hex(merged.target))
        bytes += merged.bytes()
        if (bytes >= bytesPerQuery) break
      }
    }
  }

  const guard = createGuard<NewNotification, NewNotification, Set<string>>({
    heads,
    isInTime,
    slackMs: limits.retractionClockMs,
    async search(notifications, found) {
      for await (const { merged, concerned } of targetsOf(notifications)) {
        for (const notification of concerned) {
          const left = found.get(notification) ?? new Set(notification.recipientIds)
          for (const id of left) if (merged.from(notification, id)) left.delete(id)
          found.set(notification, left)
        }
      }
    },
  })
  return {
    ...guard,
    async *applyingTo(notifications) {
      for await (const { merged, concerned } of targetsOf(notifications)) {
        // An event may be in a chunk any number of times.
        const byKey = new Map(concerned.map((notification) => [notification.id, notification]))
        let bytes = merged.bytes()
        for (const notification of byKey.values()) {
          yield { key: notificationKey(notification), tombstonesFor: tombstonesFor(merged, notification), bytes }
          bytes = 0
        }
      }
    },
  }
}

const tombstonesFor = (merged: TargetTombstones, notification: NewNotification) => (recipients: RecipientList) => {
  const applying = new Set<TombstoneDocument>()
  for (const id of recipientIdsIn(recipients)) {
    const tombstone = merged.from(notification, id)
    if (tombstone) applying.add(tombstone)
  }
  return [...applying]
}

/** The filter for the tombstones of some targets, which keeps the query on the shards of their subscribers. */
export function withTargets(targets: readonly Binary[]) {
  const subscribers = targets.map((target) => uuidIn(target)).sort()
  const [first = leastId, last = greatestId] = [subscribers[0], subscribers.at(-1)]
  return { target: { $in: targets }, _id: { $gte: toKey(first, leastId), $lte: toKey(last, greatestId) } }
}

type OfTarget = { readonly target: Binary; readonly ofTarget: NewNotification[] }

function notificationsByTarget(notifications: readonly NewNotification[]): Map<string, OfTarget> {
  const byTarget = new Map<string, OfTarget>()
  for (const notification of notifications) {
    const { subscriberId, id, locationId, locationType } = notification
    for (const target of [toKey(subscriberId, id), locationTarget(subscriberId, locationId, locationType)]) {
      const known = byTarget.get(hex(target))
      if (known) known.ofTarget.push(notification)
      else byTarget.set(hex(target), { target, ofTarget: [notification] })
    }
  }
  return byTarget
}
