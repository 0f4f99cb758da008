import { randomBytes } from 'node:crypto'
import { type LocationType, makeUuidV7 } from '@herald/contracts'
import { keyRange, readInBatches, readLimits, toKey, toUuidBinary } from '@herald/mongo'
import type { Filter, MongoClient } from 'mongodb'
import type { BulkMarkAction, BulkMarkEnd, FeedCollections } from '../documents/collections.ts'
import { type Box, boxes, type NotificationDocument } from '../documents/notification-document.ts'
import { toArchived, toRead, toUnarchived } from './changes.ts'

/** Notifications by id, or all of them, or all that fulfil the rest: up to one in time order, of a location, read. */
export type Selection =
  | { readonly ids: readonly string[] }
  | {
      readonly all: true
      readonly upTo?: string | undefined
      readonly locationType?: LocationType | undefined
      readonly locationId?: string | undefined
      readonly status?: 'read' | undefined
    }

type Mark = { readonly action: BulkMarkAction; readonly selection: Selection; readonly at: Date }

/** Returns the number of notifications that it changed. */
export type MarkMany = (prefix: readonly [string, string], mark: Mark) => Promise<number>

export type MarkManyDependencies = Pick<FeedCollections, 'notifications' | 'bulkMarks'> & {
  readonly client: MongoClient
}

type Found = Pick<NotificationDocument, '_id' | 'readVersion'>

const keysPerUpdate = 1_000
const options = { hint: 'box', projection: { readVersion: 1 } } as const
const bulkMarkKeptMs = 24 * 60 * 60 * 1_000

/** The boxes that an action takes notifications from, and what it does to them. */
const actions = {
  read: { from: [boxes.unread], change: toRead },
  archived: { from: [boxes.unread, boxes.read], change: toArchived },
  unarchived: { from: [boxes.archived], change: toUnarchived },
} as const satisfies Record<BulkMarkAction, unknown>

/**
 * Marks what one snapshot of the index contains, so those that arrive meanwhile stay as they are, even with an older time; so do
 * those that their recipient marks unread, or takes out of the archive, meanwhile. Running it again after a failure marks the rest.
 */
export function createMarkMany({ client, notifications, bulkMarks }: MarkManyDependencies): MarkMany {
  async function* foundNow(where: Filter<NotificationDocument>): AsyncGenerator<Found[]> {
    const session = client.startSession({ snapshot: true })
    try {
      const cursor = notifications.find(where, { ...readLimits, ...options, session, batchSize: keysPerUpdate })
      yield* readInBatches(cursor, keysPerUpdate)
    } finally {
      await session.endSession()
    }
  }

  async function* selected(
    prefix: readonly string[],
    from: readonly Box[],
    selection: Selection,
    { upTo: _, status: __, ...place }: BulkMarkEnd,
  ): AsyncGenerator<Found[]> {
    // With the boxes, an index serves a list of keys, which would scan the collection otherwise.
    const box = { $in: from }
    if ('ids' in selection) {
      const keys = [...new Set(selection.ids)].map((id) => toKey(...prefix, id))
      yield notifications.find({ box, _id: { $in: keys } }, { ...readLimits, ...options }).toArray()
      return
    }
    yield* foundNow({ box, _id: keyRange(prefix, { upTo: selection.upTo }), ...place })
  }

  return async (prefix, { action, selection, at }) => {
    const markId = makeUuidV7(at.getTime(), randomBytes(10))
    const bulkMark = toUuidBinary(markId)
    const { from, change } = actions[action]
    const taken = 'all' in selection && selection.status === 'read' ? [boxes.read] : from
    const end = toEnd(selection)
    const document = {
      _id: toKey(...prefix, markId),
      v: 1,
      at,
      expiresAt: new Date(at.getTime() + bulkMarkKeptMs),
    } as const
    const isRestricted = Object.keys(end).some((name) => name !== 'upTo')
    let hasBegun = false
    let marked = 0
    for await (const found of selected(prefix, taken, selection, end)) {
      // Followers have to know what it selects when they cannot name its notifications.
      const isNamed = !isRestricted && found.length < keysPerUpdate
      if (!hasBegun && !isNamed) {
        await bulkMarks.insertOne({ ...document, begun: end })
        hasBegun = true
      }
      // Most notifications have no version yet.
      for (const [version, unchanged] of Map.groupBy(found, ({ readVersion }) => readVersion)) {
        const _id = { $in: unchanged.map((one) => one._id) }
        const where = { box: { $in: taken }, _id, readVersion: version ?? { $exists: false } } as const
        const { modifiedCount } = await notifications.updateMany(where, change(at, { bulkMark }), { hint: 'box' })
        marked += modifiedCount
      }
    }
    const ended = { end, count: marked }
    if (marked > 0 && hasBegun) await bulkMarks.updateOne({ _id: document._id }, { $set: ended })
    else if (marked > 0) await bulkMarks.insertOne({ ...document, ...ended })
    return marked
  }
}

function toEnd(selection: Selection): BulkMarkEnd {
  if ('ids' in selection) return {}
  const { upTo, locationType, locationId, status } = selection
  return {
    ...(upTo === undefined ? {} : { upTo: toUuidBinary(upTo) }),
    ...(locationType === undefined ? {} : { locationType }),
    ...(locationId === undefined ? {} : { locationId: toUuidBinary(locationId) }),
    ...(status === undefined ? {} : { status }),
  }
}
