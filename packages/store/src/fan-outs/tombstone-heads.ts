import { randomUUID } from 'node:crypto'
import { limits } from '@herald/contracts'
import { Binary, type Collection } from 'mongodb'
import { toUuidBinary } from '../binary.ts'
import type { NewNotification } from '../notifications/notification-document.ts'
import { readLimits } from '../reading/read-limits.ts'
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

/** The heads that may concern some notifications, by subscriber in hexadecimal. */
export type Heads = ReadonlyMap<string, { readonly until: Date; readonly version: string }>

export async function findHeads(
  collection: Collection<TombstoneHead>,
  notifications: readonly NewNotification[],
): Promise<Heads> {
  const subscribers = new Set(notifications.map(({ subscriberId }) => subscriberId))
  const earliest = notifications.reduce((least, { createdAt }) => Math.min(least, createdAt.getTime()), Infinity)
  const found = await collection
    .find(
      {
        _id: { $in: [...subscribers].map((id) => new Binary(toUuidBinary(id).buffer)) },
        until: { $gte: new Date(earliest - limits.retractionClockMs) },
      },
      { ...readLimits, projection: { until: 1, version: 1 } },
    )
    .toArray()
  return new Map(
    found.map(({ _id, until, version }) => [_id.toString('hex'), { until, version: version.toString('hex') }]),
  )
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
