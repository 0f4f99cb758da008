import { randomBytes } from 'node:crypto'
import { makeUuidV7 } from '@herald/contracts'
import { Binary, type Collection, type MongoClient } from 'mongodb'
import { toKey, toUuidBinary } from './binary.ts'
import { keyRange } from './id-range.ts'
import type { NotificationDocument } from './notification-document.ts'
import { readLimits } from './read-limits.ts'
import { changedAt, keysByVersion, type SeenUnread, unchangedSince } from './read-state.ts'

/** Some notifications by their ids, or all of them, or all up to one of them in time order. */
export type Selection = { readonly ids: readonly string[] } | { readonly all: true; readonly upTo?: string | undefined }

/** Many notifications that were marked read as one deed, written when all of them are marked, or when it failed on the way. */
export type BulkMarkDocument = {
  /** subscriber ‖ recipient ‖ id of the mark, 48 bytes. */
  _id: Binary
  v: 1
  readAt: Date
  /** At least so many, where it failed. */
  count: number
  /** Which they are; not there when they are more than 1,000, or not known for certain. */
  ids?: Binary[]
  /** The newest that was meant; not there when all were. */
  upTo?: Binary
  expiresAt: Date
}

export type MarkMany = (prefix: readonly [string, string], selection: Selection, at: Date) => Promise<number>

export type MarkManyDependencies = {
  readonly client: MongoClient
  readonly notifications: Collection<NotificationDocument>
  readonly bulkMarks: Collection<BulkMarkDocument>
}

const keysPerUpdate = 1_000
const seen = { hint: 'unread', projection: { readVersion: 1 } } as const
const idsPerBulkMark = 1_000
const bulkMarkKeptMs = 24 * 60 * 60 * 1_000

/**
 * Marks many read as one deed. What is unread is taken from one snapshot of the index, so that what arrives meanwhile, an
 * older event included, stays unread; and what its owner marked unread meanwhile stays so, too. The documents carry the
 * mark's id, and the mark itself is written behind them: who follows the changes sees one thing happen, not thousands.
 * Run again after a failure, it goes on with what is left; of what was marked before that nobody would be told, so a deed
 * that fails on the way tries to write its mark all the same.
 */
export function createMarkMany({ client, notifications, bulkMarks }: MarkManyDependencies): MarkMany {
  async function* unreadNow(prefix: readonly string[], upTo: string | undefined): AsyncGenerator<SeenUnread[]> {
    const session = client.startSession({ snapshot: true })
    try {
      const cursor = notifications.find(
        { unread: true, _id: keyRange(prefix, { upTo }) },
        { ...readLimits, ...seen, session, batchSize: keysPerUpdate },
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

  /** Those of the ids that are unread; with the flag in front the index is used, which a list of keys alone would not. */
  function unreadAmong(prefix: readonly string[], ids: readonly string[]): Promise<SeenUnread[]> {
    const keys = [...new Set(ids)].map((id) => toKey(...prefix, id))
    const where = { unread: true, _id: { $in: keys } } as const
    return notifications.find(where, { ...readLimits, ...seen }).toArray()
  }

  async function* selected(prefix: readonly string[], selection: Selection): AsyncGenerator<SeenUnread[]> {
    if ('ids' in selection) yield unreadAmong(prefix, selection.ids)
    else yield* unreadNow(prefix, selection.upTo)
  }

  return async (prefix, selection, at) => {
    const markId = makeUuidV7(at.getTime(), randomBytes(10))
    const bulkMark = toUuidBinary(markId)
    let marked = 0
    let isUnderWay = false
    // Given up when they are too many, or when somebody else was quicker with one of them.
    let ids: Binary[] | undefined = []
    const upTo = 'all' in selection ? selection.upTo : undefined
    const writeMark = (known: Binary[] | undefined) =>
      bulkMarks.insertOne({
        _id: toKey(...prefix, markId),
        v: 1,
        readAt: at,
        count: marked,
        ...(known ? { ids: known } : {}),
        ...(upTo === undefined ? {} : { upTo: toUuidBinary(upTo) }),
        expiresAt: new Date(at.getTime() + bulkMarkKeptMs),
      })
    try {
      for await (const found of selected(prefix, selection)) {
        isUnderWay = true
        for (const [version, keys] of keysByVersion(found)) {
          const change = { $set: { readAt: at, bulkMark }, $unset: { unread: true }, ...changedAt(at) } as const
          const { modifiedCount } = await notifications.updateMany(unchangedSince(version, keys), change, {
            hint: 'unread',
          })
          marked += modifiedCount
          ids = marked <= idsPerBulkMark && modifiedCount === keys.length ? ids?.concat(keys.map(idOf)) : undefined
        }
      }
      if (marked > 0) await writeMark(ids)
    } catch (error) {
      if (isUnderWay) await writeMark(undefined).catch(() => {})
      throw error
    }
    return marked
  }
}

const idOf = (key: Binary) => new Binary(key.buffer.subarray(32), Binary.SUBTYPE_UUID)
