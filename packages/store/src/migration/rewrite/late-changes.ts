import type { Binary, Collection, Document, Filter } from 'mongodb'
import { toKey } from '../../binary.ts'
import type { FanOutDocument } from '../../fan-outs/fan-out-document.ts'
import { inBatches } from '../../fan-outs/in-batches.ts'
import { insertNew } from '../../insert-new.ts'
import { idsIn, type NotificationDocument } from '../../notifications/notification-document.ts'
import { readLimits } from '../../reading/read-limits.ts'
import type { SourceChange } from './source-changes.ts'

/** An inserted notification, for one recipient. */
export type StoredFor = { readonly subscriberId: string; readonly id: string; readonly recipientIds: readonly [string] }

export type LateChangesDependencies = {
  readonly notifications: Collection<NotificationDocument>
  readonly fanOuts: Collection<FanOutDocument>
  /** Applies retractions and erasures to the notifications of fan-outs. */
  readonly applyTombstones: (fanOuts: readonly FanOutDocument[]) => Promise<void>
  /** Applies the receipts that wait for notifications. */
  readonly settleReceipts: (stored: readonly StoredFor[]) => Promise<void>
}

/**
 * Applies changes of the old collection that its copy does not have, while others already use the copy under the same
 * name. A change never overwrites a later mark, and applying it again changes nothing.
 */
export function createLateChanges({
  notifications,
  fanOuts,
  applyTombstones,
  settleReceipts,
}: LateChangesDependencies) {
  async function apply(change: SourceChange): Promise<StoredFor | undefined> {
    const { operationType, documentKey, fullDocument, updateDescription } = change
    if (operationType === 'insert' && fullDocument) {
      await insertNew(notifications, [fullDocument])
      const { subscriberId, recipientId, id } = idsIn(fullDocument._id)
      return { subscriberId, id, recipientIds: [recipientId] }
    }
    if (operationType === 'delete') await notifications.deleteOne({ _id: documentKey._id })
    if (operationType === 'replace' && fullDocument) {
      const { _id, ...content } = fullDocument
      await notifications.replaceOne(olderThan(_id, fullDocument.readVersion), content)
    }
    if (operationType === 'update' && updateDescription) {
      const { updatedFields = {}, removedFields = [] } = updateDescription
      const update: Document = {}
      if (Object.keys(updatedFields).length > 0) update.$set = updatedFields
      if (removedFields.length > 0) update.$unset = Object.fromEntries(removedFields.map((field) => [field, true]))
      await notifications.updateOne(olderThan(documentKey._id, updatedFields.readVersion), update)
    }
    return undefined
  }

  return {
    apply,
    /**
     * Applies what arrived for inserted notifications before they were in the copy: retractions and erasures, which have
     * tombstones, and receipts, which wait.
     */
    async catchUp(inserted: readonly StoredFor[]): Promise<void> {
      for (const batch of inBatches(inserted.values(), 1_000)) {
        const keys = new Map(batch.map(({ subscriberId, id }) => [subscriberId + id, toKey(subscriberId, id)]))
        await applyTombstones(await fanOuts.find({ _id: { $in: [...keys.values()] } }, readLimits).toArray())
        await settleReceipts(batch)
      }
    },
  }
}

/** Each mark increments the version, so one that was made in the copy meanwhile has the same or a later one. */
function olderThan(_id: Binary, version: number | undefined): Filter<NotificationDocument> {
  if (version === undefined) return { _id }
  return { _id, $or: [{ readVersion: { $lt: version } }, { readVersion: { $exists: false } }] }
}
