import { findFew, greatestId, keyRange, runCommand, toKey, toUuidBinary, userReads, uuidIn } from '@herald/mongo'
import type { Binary } from 'mongodb'
import type { FeedCollections } from '../documents/collections.ts'
import { boxes, notRemoved } from '../documents/notification-document.ts'

/** Unread notifications, those of them above the newest one seen, and the id of that one; `null` before the first call. */
export type Counts = {
  readonly unreadCount: number
  readonly unseenCount: number
  readonly seenUpTo: string | null
}

type Prefix = readonly [string, string]

export type Seen = ReturnType<typeof createSeen>

/** How far users have seen their feeds: one mark for each, which never goes back. */
export function createSeen({ notifications, seenMarks }: Pick<FeedCollections, 'notifications' | 'seenMarks'>) {
  const { db, collectionName } = notifications

  // With the `count` command: the driver's `countDocuments` passes every key through an aggregation.
  const countUnread = async (_id: object): Promise<number> => {
    const query = { box: boxes.unread, _id }
    return (await runCommand(db, { count: collectionName, query, hint: 'box', ...userReads })).n
  }

  const markOf = async (prefix: Prefix): Promise<Binary | undefined> => {
    const [mark] = await findFew(seenMarks, { filter: { _id: toKey(...prefix) }, limit: 1, ...userReads })
    return mark?.upTo
  }

  return {
    async counts(prefix: Prefix): Promise<Counts> {
      const [unreadCount, mark] = await Promise.all([countUnread(keyRange(prefix, {})), markOf(prefix)])
      if (mark === undefined) return { unreadCount, unseenCount: unreadCount, seenUpTo: null }
      const seenUpTo = uuidIn(mark)
      const above = { $gt: toKey(...prefix, seenUpTo), $lte: toKey(...prefix, greatestId) }
      const unseen = unreadCount === 0 ? 0 : await countUnread(above)
      // Another one may have arrived between the two counts.
      return { unreadCount, unseenCount: Math.min(unseen, unreadCount), seenUpTo }
    },
    async mark(prefix: Prefix, upTo: string | undefined, now: Date): Promise<void> {
      const _id = keyRange(prefix, { upTo, createdTo: now.getTime() + 1 })
      const newestId = { filter: { _id, ...notRemoved }, sort: { _id: -1 }, projection: { _id: 1 }, limit: 1 }
      const [newest] = await findFew(notifications, { ...newestId, ...userReads })
      if (newest === undefined) return
      const seenNow = { upTo: toUuidBinary(uuidIn(newest._id, 2)) }
      await seenMarks.updateOne({ _id: toKey(...prefix) }, { $max: seenNow, $setOnInsert: { v: 1 } }, { upsert: true })
    },
  }
}
