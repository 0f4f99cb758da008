import type { Binary, Collection } from 'mongodb'
import { uuidIn } from '../binary.ts'
import { readLimits } from '../reading/read-limits.ts'
import type { DueBatch, DueItem } from './announcement.ts'
import type { DigestDocument } from './digest-document.ts'

/** Of about 20 KB each, or more with many notifications. */
const digestsPerBatch = 100

/** The digests that are to be announced. */
export function createNextDigests(digests: Collection<DigestDocument>): (now: Date) => Promise<DueBatch> {
  return async (now) => {
    const keys = new Map<DueItem, Binary>()
    const projection = { time: 1, data: 1, newest: { $first: '$notifications' } }
    const options = { ...readLimits, hint: 'announce', sort: { announceAt: 1 }, limit: digestsPerBatch } as const
    const found = digests.find<DigestDocument & { newest: Binary }>(
      { announceAt: { $lte: now } },
      { ...options, projection },
    )
    for await (const { _id, newest, time, data = '' } of found) {
      const ids = { subscriberId: uuidIn(_id), recipientId: uuidIn(_id, 1), newestId: uuidIn(newest, 2) }
      keys.set({ announcements: [{ kind: 'unread', ...ids, time, data }] }, _id)
    }
    const those = (items: readonly DueItem[]) => ({ _id: { $in: items.map((item) => keys.get(item) as Binary) } })
    return {
      items: [...keys.keys()],
      async settle(items) {
        const announced = [{ $set: { expiresAt: '$keptUntil' } }, { $unset: ['announceAt', 'data'] }]
        if (items.length > 0) await digests.updateMany(those(items), announced)
      },
      async postpone(items, until) {
        if (items.length === 0) return
        await digests.updateMany({ ...those(items), announceAt: { $exists: true } }, { $set: { announceAt: until } })
      },
    }
  }
}
