import { hex, inBatches, readLimits } from '@herald/mongo'
import { Binary } from 'mongodb'
import type { FeedCollections } from '../documents/collections.ts'
import { removedPositions } from '../documents/fan-out-document.ts'
import { fanOutKeyIn } from '../documents/notification-document.ts'
import { bytesIn, positionIn } from '../documents/recipient-list.ts'
import { recipientsOf } from '../documents/tombstone-document.ts'

/** @returns the keys (subscriber ‖ recipient ‖ id) whose notification was retracted from the recipient, in hexadecimal */
export type FindRetracted = (keys: readonly Binary[]) => Promise<ReadonlySet<string>>

/** A fan-out has at most 180 KB. */
const documentsPerBatch = 50

/** By the notes in fan-outs, and by tombstones: a retraction by id may arrive without its notification. */
export function createFindRetracted({
  fanOuts,
  tombstones,
}: Pick<FeedCollections, 'fanOuts' | 'tombstones'>): FindRetracted {
  return async (keys) => {
    const retracted = new Set<string>()
    const keysOf = Map.groupBy(keys, fanOutKeyIn)
    const addThose = (notification: Binary, isRetracted: (recipient: Buffer) => boolean): void => {
      for (const key of keysOf.get(hex(notification)) ?? []) {
        if (isRetracted(bytesIn(key).subarray(16, 32))) retracted.add(hex(key))
      }
    }
    const notifications = [...keysOf.keys()].map((key) => Binary.createFromHexString(key))
    for (const batch of inBatches(notifications, documentsPerBatch)) {
      const noted = fanOuts.find({ _id: { $in: batch }, retractions: { $exists: true } }, readLimits)
      for await (const fanOut of noted) {
        const [removed, recipients] = [removedPositions(fanOut), bytesIn(fanOut.recipients)]
        addThose(fanOut._id, (recipient) => removed.has(positionIn(recipients, recipient) ?? -1))
      }
      const named = tombstones.find({ target: { $in: batch } }, { ...readLimits, hint: 'target' })
      for await (const tombstone of named) {
        const recipients = recipientsOf(tombstone)
        addThose(tombstone.target, (recipient) => !recipients || positionIn(recipients, recipient) !== undefined)
      }
    }
    return retracted
  }
}
