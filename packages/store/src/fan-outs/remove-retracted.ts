import { Binary, type Collection } from 'mongodb'
import type { NotificationDocument } from '../notifications/notification-document.ts'
import type { FanOutDocument } from './fan-out-document.ts'
import { inBatches } from './in-batches.ts'
import { bytesIn, recipientAt } from './recipient-list.ts'

/** Deletes retracted notifications by their keys. Repeating it changes nothing. */
export type RemoveRetracted = (keys: Iterable<Binary>) => Promise<void>

const deletesPerBatch = 1_000

export function createRemoveRetracted(notifications: Collection<NotificationDocument>): RemoveRetracted {
  const remove = async (keys: readonly Binary[]): Promise<void> => {
    // Followers cannot tell a deletion from an expiry, so the document says first why it is deleted.
    const change = { $set: { retracted: true }, $unset: { unread: true } } as const
    const { matchedCount } = await notifications.bulkWrite(
      keys.map((_id) => ({ updateOne: { filter: { _id }, update: change } })),
      { ordered: false },
    )
    if (matchedCount === 0) return
    await notifications.bulkWrite(
      keys.map((_id) => ({ deleteOne: { filter: { _id, retracted: true } } })),
      { ordered: false },
    )
  }
  return async (keys) => {
    for (const batch of inBatches(keys, deletesPerBatch)) await remove(batch)
  }
}

/** The keys of the notification's documents for recipients at these positions. */
export function* recipientKeys(
  { _id, recipients }: Pick<FanOutDocument, '_id' | 'recipients'>,
  positions: Iterable<number>,
): Generator<Binary> {
  const [subscriber, id] = [bytesIn(_id).subarray(0, 16), bytesIn(_id).subarray(16)]
  const list = bytesIn(recipients)
  for (const position of positions) yield new Binary(Buffer.concat([subscriber, recipientAt(list, position), id]))
}
