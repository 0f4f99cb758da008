import { randomUUID } from 'node:crypto'
import { limits } from '@herald/contracts'
import { Binary, type Collection } from 'mongodb'
import { toUuidBinary } from '../binary.ts'
import type { NewNotification } from '../notifications/notification-document.ts'
import { findRecentHeads, type Heads } from '../reading/recent-heads.ts'
import { bytesIn } from './recipient-list.ts'
import type { TombstoneDocument } from './tombstone-document.ts'

/**
 * One document per subscriber that ever retracted something, in the collection of its tombstones. New notifications are
 * newer than nearly all tombstones, so this is all that storing them has to read.
 */
export type TombstoneHead = {
  /** subscriber, 16 bytes. */
  _id: Binary
  v: 1
  /** The latest `until` of the subscriber's tombstones. */
  until: Date
  /** Changes after a tombstone is stored, and before it is applied. */
  version: Binary
  keptFrom: Date
}

/** The heads that may concern some notifications. */
export function findHeads(
  collection: Collection<TombstoneHead>,
  notifications: readonly NewNotification[],
): Promise<Heads> {
  const subscribers = new Set(notifications.map(({ subscriberId }) => subscriberId))
  const earliest = notifications.reduce((least, { createdAt }) => Math.min(least, createdAt.getTime()), Infinity)
  return findRecentHeads(collection, subscribers, new Date(earliest - limits.retractionClockMs))
}

/** Makes tombstones known: whoever read the heads before will notice. */
export async function advanceHeads(
  collection: Collection<TombstoneHead>,
  tombstones: readonly TombstoneDocument[],
): Promise<void> {
  const bySubscriber = new Map<string, { _id: Binary; until: Date; keptFrom: Date }>()
  for (const { _id: key, until, keptFrom } of tombstones) {
    const _id = new Binary(bytesIn(key).subarray(0, 16))
    const others = bySubscriber.get(_id.toString('hex'))
    bySubscriber.set(_id.toString('hex'), {
      _id,
      until: latest(until, others?.until),
      keptFrom: latest(keptFrom, others?.keptFrom),
    })
  }
  if (bySubscriber.size === 0) return
  await collection.bulkWrite(
    [...bySubscriber.values()].map(({ _id, until, keptFrom }) => ({
      updateOne: {
        filter: { _id },
        update: { $max: { until, keptFrom }, $set: { v: 1, version: toUuidBinary(randomUUID()) } },
        upsert: true,
      },
    })),
    { ordered: false },
  )
}

function latest(one: Date, other: Date | undefined): Date {
  return other !== undefined && other > one ? other : one
}
