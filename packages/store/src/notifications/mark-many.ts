import { randomBytes } from 'node:crypto'
import { makeUuidV7 } from '@herald/contracts'
import type { Binary, Collection, MongoClient } from 'mongodb'
import { toKey, toUuidBinary } from '../binary.ts'
import { keyRange } from '../reading/id-range.ts'
import { readLimits } from '../reading/read-limits.ts'
import type { NotificationDocument } from './notification-document.ts'
import { changedAt, keysByVersion, type SeenUnread, unchangedSince } from './read-state.ts'

/** Notifications by id, or all of them, or all up to one of them in time order. */
export type Selection = { readonly ids: readonly string[] } | { readonly all: true; readonly upTo?: string | undefined }

/** Written when a bulk mark has ended, so that followers can treat it as one change. */
export type BulkMarkDocument = {
  /** subscriber ‖ recipient ‖ id of the mark, 48 bytes. */
  _id: Binary
  v: 1
  readAt: Date
  count: number
  /** The newest notification of the mark; absent for all. */
  upTo?: Binary
  expiresAt: Date
}

/** Written when a feed was erased, in the same collection, for those who follow changes. Its id is that of the erasure. */
export type FeedErasureDocument = Pick<BulkMarkDocument, '_id' | 'v' | 'expiresAt'> & {
  /** No notification up to this id is left. */
  erasedUpTo: Binary
}

export type MarkMany = (prefix: readonly [string, string], selection: Selection, at: Date) => Promise<number>

export type MarkManyDependencies = {
  readonly client: MongoClient
  readonly notifications: Collection<NotificationDocument>
  readonly bulkMarks: Collection<BulkMarkDocument>
}

const keysPerUpdate = 1_000
const unreadOptions = { hint: 'unread', projection: { readVersion: 1 } } as const
const bulkMarkKeptMs = 24 * 60 * 60 * 1_000

/**
 * Marks many as read in one operation. The unread notifications are read from one snapshot of the index, so those that
 * arrive meanwhile stay unread, even with an older time; so do those that their recipient marks unread meanwhile. The
 * documents carry the id of the mark, by which followers recognize it. Running it again after a failure marks the rest.
 */
export function createMarkMany({ client, notifications, bulkMarks }: MarkManyDependencies): MarkMany {
  async function* unreadNow(prefix: readonly string[], upTo: string | undefined): AsyncGenerator<SeenUnread[]> {
    const session = client.startSession({ snapshot: true })
    try {
      const cursor = notifications.find(
        { unread: true, _id: keyRange(prefix, { upTo }) },
        { ...readLimits, ...unreadOptions, session, batchSize: keysPerUpdate },
      )
      let found: SeenUnread[] = []
      for await (const one of cursor) {
        if (found.push(one) < keysPerUpdate) continue
        yield found
        found = []
      }
      if (found.length > 0) yield found
    } finally {
      await session.endSession()
    }
  }

  /** The unread among the ids. The `unread` condition lets the query use an index instead of a collection scan. */
  function unreadAmong(prefix: readonly string[], ids: readonly string[]): Promise<SeenUnread[]> {
    const keys = [...new Set(ids)].map((id) => toKey(...prefix, id))
    const where = { unread: true, _id: { $in: keys } } as const
    return notifications.find(where, { ...readLimits, ...unreadOptions }).toArray()
  }

  async function* selected(prefix: readonly string[], selection: Selection): AsyncGenerator<SeenUnread[]> {
    if ('ids' in selection) yield unreadAmong(prefix, selection.ids)
    else yield* unreadNow(prefix, selection.upTo)
  }

  return async (prefix, selection, at) => {
    const markId = makeUuidV7(at.getTime(), randomBytes(10))
    const bulkMark = toUuidBinary(markId)
    let marked = 0
    for await (const found of selected(prefix, selection)) {
      for (const [version, keys] of keysByVersion(found)) {
        const change = { $set: { readAt: at, bulkMark }, $unset: { unread: true }, ...changedAt(at) } as const
        const { modifiedCount } = await notifications.updateMany(unchangedSince(version, keys), change, {
          hint: 'unread',
        })
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
