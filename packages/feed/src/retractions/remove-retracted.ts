import { inBatches, writeAll } from '@herald/mongo'
import type { Binary, Collection } from 'mongodb'
import { boxes, type NotificationDocument } from '../documents/notification-document.ts'

/** Deletes retracted notifications by their keys. Repeating it changes nothing. */
export type RemoveRetracted = (keys: Iterable<Binary>) => Promise<void>

const deletesPerBatch = 250

export function createRemoveRetracted(notifications: Collection<NotificationDocument>): RemoveRetracted {
  const remove = async (keys: readonly Binary[]): Promise<void> => {
    // Followers cannot tell a deletion from an expiry, so the document says first why it is deleted.
    const change = { $set: { retracted: true, box: boxes.removed } } as const
    const updates = keys.map((_id) => ({ updateOne: { filter: { _id }, update: change } }))
    if ((await writeAll(notifications, updates)).matched === 0) return
    const deletes = keys.map((_id) => ({ deleteOne: { filter: { _id, retracted: true as const } } }))
    await writeAll(notifications, deletes)
  }
  return async (keys) => {
    for (const batch of inBatches(keys, deletesPerBatch)) await remove(batch)
  }
}
