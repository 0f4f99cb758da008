import { limits } from '@herald/contracts'
import type { Binary } from 'mongodb'
import { greatestId, hex, leastId, toKey, uuidIn } from '../documents/binary.ts'
import type { Collections } from '../documents/collections.ts'
import { keyOf, type NewNotification } from '../documents/notification-document.ts'
import { recipientIdsIn } from '../documents/recipient-list.ts'
import { isInTime, locationTarget, recipientsOf, type TombstoneDocument } from '../documents/tombstone-document.ts'
import { readLimits } from '../reading/read-limits.ts'
import { createGuard, type Guard } from './guard.ts'

/** The recipients who are left of a notification, by the retractions that apply to it. */
export type Tombstones = Guard<NewNotification, NewNotification, Set<string>> & {
  /** Reads the retractions that apply to these notifications, with the key of the fan-out. */
  applyingTo(notifications: readonly NewNotification[]): AsyncIterable<Applying>
}

type Applying = {
  readonly notification: NewNotification
  readonly key: Binary
  readonly tombstone: TombstoneDocument
}

/** Of at most 160 KB each. Any number may apply, so they are never all in memory. */
const tombstonesPerRead = 64

export function createTombstones({
  tombstones,
  tombstoneHeads: heads,
}: Pick<Collections, 'tombstones' | 'tombstoneHeads'>): Tombstones {
  async function* applyingTo(notifications: readonly NewNotification[]): AsyncGenerator<Applying> {
    if (notifications.length === 0) return
    const byTarget = Map.groupBy(notifications.flatMap(targetsOf), ({ target }) => hex(target))
    const earliest = notifications.reduce((least, { createdAt }) => Math.min(least, createdAt.getTime()), Infinity)
    const found = tombstones.find(
      {
        ...withTargets([...byTarget.values()].flatMap(([one]) => one?.target ?? [])),
        until: { $gte: new Date(earliest - limits.retractionClockMs) },
      },
      { ...readLimits, hint: 'target', batchSize: tombstonesPerRead },
    )
    for await (const tombstone of found) {
      for (const { notification } of byTarget.get(hex(tombstone.target)) ?? []) {
        if (isInTime(tombstone.until, notification)) yield { notification, key: keyOf(notification), tombstone }
      }
    }
  }

  const guard = createGuard<NewNotification, NewNotification, Set<string>>({
    heads,
    isInTime,
    slackMs: limits.retractionClockMs,
    async search(notifications, found) {
      for await (const { notification, tombstone } of applyingTo(notifications)) {
        const left = found.get(notification) ?? new Set(notification.recipientIds)
        const named = recipientsOf(tombstone)
        if (named === undefined) left.clear()
        else for (const id of recipientIdsIn(named)) left.delete(id)
        found.set(notification, left)
      }
    },
  })
  return { ...guard, applyingTo }
}

/** The filter for the tombstones of some targets, which keeps the query on the shards of their subscribers. */
export function withTargets(targets: readonly Binary[]) {
  const subscribers = targets.map((target) => uuidIn(target)).sort()
  const [first = leastId, last = greatestId] = [subscribers[0], subscribers.at(-1)]
  return { target: { $in: targets }, _id: { $gte: toKey(first, leastId), $lte: toKey(last, greatestId) } }
}

const targetsOf = (notification: NewNotification) => {
  const { subscriberId, id, locationId, locationType } = notification
  const targets = [toKey(subscriberId, id), locationTarget(subscriberId, locationId, locationType)]
  return targets.map((target) => ({ target, notification }))
}
