import { Binary, type Collection } from 'mongodb'
import { readLimits } from '../reading/read-limits.ts'
import { type FanOutDocument, gonePositions } from './fan-out-document.ts'
import { inBatches } from './in-batches.ts'
import { bytesIn, positionsOf } from './recipient-list.ts'
import type { TombstoneDocument } from './tombstone-document.ts'
import { recipientsOf } from './tombstones.ts'

/** @returns the keys (subscriber ‖ recipient ‖ id) whose notification was retracted from the recipient, in hexadecimal */
export type FindRetracted = (keys: readonly Binary[]) => Promise<ReadonlySet<string>>

/** Of at most 180 KB each. */
const documentsPerBatch = 50

/**
 * Finds retracted notifications by the notes in their fan-outs, and by tombstones: a retraction by id may arrive without
 * its notification.
 */
export function createFindRetracted(
  fanOuts: Collection<FanOutDocument>,
  tombstones: Collection<TombstoneDocument>,
): FindRetracted {
  return async (keys) => {
    const retracted = new Set<string>()
    const keysOf = groupByNotification(keys)
    const addThose = (notification: Binary, isRetracted: (recipient: Buffer) => boolean): void => {
      for (const key of keysOf.get(notification.toString('hex')) ?? []) {
        if (isRetracted(bytesIn(key).subarray(16, 32))) retracted.add(key.toString('hex'))
      }
    }
    const notifications = [...keysOf.keys()].map((key) => Binary.createFromHexString(key))
    for (const batch of inBatches(notifications, documentsPerBatch)) {
      const noted = fanOuts.find({ _id: { $in: batch }, takenBack: { $exists: true } }, readLimits)
      for await (const fanOut of noted) {
        const [gone, recipients] = [gonePositions(fanOut), bytesIn(fanOut.recipients)]
        addThose(fanOut._id, (recipient) => positionsOf(recipients, recipient).some((position) => gone.has(position)))
      }
      const named = tombstones.find({ target: { $in: batch } }, { ...readLimits, hint: 'target' })
      for await (const tombstone of named) {
        const recipients = recipientsOf(tombstone)
        addThose(tombstone.target, (recipient) => !recipients || positionsOf(recipients, recipient).length > 0)
      }
    }
    return retracted
  }
}

function groupByNotification(keys: readonly Binary[]): Map<string, Binary[]> {
  const groups = new Map<string, Binary[]>()
  for (const key of keys) {
    const bytes = bytesIn(key)
    const notification = bytes.toString('hex', 0, 16) + bytes.toString('hex', 32)
    const group = groups.get(notification)
    if (group) group.push(key)
    else groups.set(notification, [key])
  }
  return groups
}
