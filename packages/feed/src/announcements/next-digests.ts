import { readLimits, uuidIn } from '@herald/mongo'
import type { Binary, Filter } from 'mongodb'
import type { DigestDocument, FeedCollections } from '../documents/collections.ts'
import type { EraseWritten } from '../erasures/erase-from-digests.ts'
import type { DueBatch, DueItem } from './announcement.ts'

/** A digest has about 20 KB, or more with many notifications. */
const digestsPerBatch = 100
const projection = { time: 1, data: 1, notifications: [{ $first: '$notifications' }, { $last: '$notifications' }] }
const options = { ...readLimits, hint: 'announce', sort: { announceAt: 1 }, limit: digestsPerBatch } as const

export function createNextDigests(
  { digests }: Pick<FeedCollections, 'digests'>,
  eraseWritten: EraseWritten,
): (now: Date) => Promise<DueBatch> {
  const find = (where: Filter<DigestDocument>) =>
    digests.find<DigestDocument>(where, { ...options, projection }).toArray()

  /** An erasure that was accepted may not have reached them yet. */
  const findMasked = async (now: Date): Promise<readonly DigestDocument[]> => {
    const due = { announceAt: { $lte: now } }
    const found = await find(due)
    const { hasErased } = await eraseWritten(found)
    return hasErased ? find({ ...due, _id: { $in: found.map(({ _id }) => _id) } }) : found
  }

  return async (now) => {
    const keys = new Map<DueItem, Binary>()
    for (const { _id, notifications, time, data = '' } of await findMasked(now)) {
      const [newest = _id] = notifications
      const ids = { subscriberId: uuidIn(_id), recipientId: uuidIn(_id, 1), newestId: uuidIn(newest, 2) }
      keys.set({ announcements: [{ kind: 'unread', ...ids, time, data }] }, _id)
    }
    const those = (items: readonly DueItem[]) => ({ _id: { $in: items.map((item) => keys.get(item) as Binary) } })
    return {
      items: [...keys.keys()],
      async settle(items) {
        if (items.length > 0) await digests.updateMany(those(items), { $unset: { announceAt: true, data: true } })
      },
      async postpone(items, until) {
        if (items.length === 0) return
        await digests.updateMany({ ...those(items), announceAt: { $exists: true } }, { $set: { announceAt: until } })
      },
    }
  }
}
