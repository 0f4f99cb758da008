import { randomBytes } from 'node:crypto'
import { makeUuidV7 } from '@herald/contracts'
import type { MongoClient } from 'mongodb'
import { readInBatches } from '../documents/batches.ts'
import { keyRange, toKey, toUuidBinary } from '../documents/binary.ts'
import type { Collections } from '../documents/collections.ts'
import type { NotificationDocument } from '../documents/notification-document.ts'
import { readLimits } from '../reading/read-limits.ts'

/** Notifications by id, or all of them, or all up to one of them in time order. */
export type Selection = { readonly ids: readonly string[] } | { readonly all: true; readonly upTo?: string | undefined }

export type MarkMany = (prefix: readonly [string, string], selection: Selection, at: Date) => Promise<number>

export type MarkManyDependencies = Pick<Collections, 'notifications' | 'bulkMarks'> & { readonly client: MongoClient }

type Unread = Pick<NotificationDocument, '_id' | 'readVersion'>

const keysPerUpdate = 1_000
const unreadOptions = { hint: 'unread', projection: { readVersion: 1 } } as const
const bulkMarkKeptMs = 24 * 60 * 60 * 1_000

/** The part of the update that every mark has. The time never decreases, even if the clocks of processes differ. */
export const changedAt = (at: Date) => ({ $inc: { readVersion: 1 }, $max: { readStateAt: at } }) as const

/**
 * Marks what one snapshot of the index contains, so those that arrive meanwhile stay unread, even with an older time; so do
 * those that their recipient marks unread meanwhile. Running it again after a failure marks the rest.
 */
export function createMarkMany({ client, notifications, bulkMarks }: MarkManyDependencies): MarkMany {
  async function* unreadNow(prefix: readonly string[], upTo: string | undefined): AsyncGenerator<Unread[]> {
    const session = client.startSession({ snapshot: true })
    try {
      const cursor = notifications.find(
        { unread: true, _id: keyRange(prefix, { upTo }) },
        { ...readLimits, ...unreadOptions, session, batchSize: keysPerUpdate },
      )
      yield* readInBatches(cursor, keysPerUpdate)
    } finally {
      await session.endSession()
    }
  }

  /** The unread among the ids. The `unread` condition lets the query use an index instead of a collection scan. */
  function unreadAmong(prefix: readonly string[], ids: readonly string[]): Promise<Unread[]> {
    const keys = [...new Set(ids)].map((id) => toKey(...prefix, id))
    const where = { unread: true, _id: { $in: keys } } as const
    return notifications.find(where, { ...readLimits, ...unreadOptions }).toArray()
  }

  async function* selected(prefix: readonly string[], selection: Selection): AsyncGenerator<Unread[]> {
    if ('ids' in selection) yield unreadAmong(prefix, selection.ids)
    else yield* unreadNow(prefix, selection.upTo)
  }

  return async (prefix, selection, at) => {
    const markId = makeUuidV7(at.getTime(), randomBytes(10))
    const bulkMark = toUuidBinary(markId)
    let marked = 0
    for await (const found of selected(prefix, selection)) {
      // Most notifications have no version yet.
      for (const [version, unchanged] of Map.groupBy(found, ({ readVersion }) => readVersion)) {
        const keys = unchanged.map(({ _id }) => _id)
        const where = { unread: true, _id: { $in: keys }, readVersion: version ?? { $exists: false } } as const
        const change = { $set: { readAt: at, bulkMark }, $unset: { unread: true }, ...changedAt(at) } as const
        const { modifiedCount } = await notifications.updateMany(where, change, { hint: 'unread' })
        marked += modifiedCount
      }
    }
    const upTo = 'all' in selection ? selection.upTo : undefined
    if (marked > 0) {
      await bulkMarks.insertOne({
        _id: toKey(...prefix, markId),
        v: 1,
        readAt: at,
        count: marked,
        ...(upTo === undefined ? {} : { upTo: toUuidBinary(upTo) }),
        expiresAt: new Date(at.getTime() + bulkMarkKeptMs),
      })
    }
    return marked
  }
}
