import type { Collection } from 'mongodb'
import { toKey } from '../binary.ts'
import type { FanOutDocument } from '../fan-outs/fan-out-document.ts'
import { inBatches } from '../fan-outs/in-batches.ts'
import type { RemoveRetracted } from '../fan-outs/remove-retracted.ts'
import type { NewNotification } from '../notifications/notification-document.ts'
import { readLimits } from '../reading/read-limits.ts'
import type { EraseFromFanOuts } from './erase-from-fan-outs.ts'
import type { FindErased } from './erased-persons.ts'
import { erasedIn } from './mask.ts'

/**
 * Erases persons from notifications that were just stored, because an erasure may not have found them.
 *
 * @returns the notifications that contain erased persons
 */
export type EraseStored = (
  notifications: readonly NewNotification[],
  find: FindErased,
) => Promise<readonly NewNotification[]>

export type EraseStoredDependencies = {
  readonly fanOuts: Collection<FanOutDocument>
  readonly removeRetracted: RemoveRetracted
  readonly eraseFromFanOuts: EraseFromFanOuts
}

/** Of at most 180 KB each. */
const fanOutsPerBatch = 50

export function createEraseStored({
  fanOuts,
  removeRetracted,
  eraseFromFanOuts,
}: EraseStoredDependencies): EraseStored {
  return async (stored, find) => {
    const concerned = stored.flatMap((notification) => {
      const erased = erasedIn(notification, find)
      return erased.size === 0 ? [] : [{ notification, erased }]
    })
    for (const batch of inBatches(concerned, fanOutsPerBatch)) {
      const persons = new Map(batch.map(({ notification, erased }) => [hex(keyOf(notification)), erased]))
      const keys = batch.map(({ notification }) => keyOf(notification))
      const found = await fanOuts.find({ _id: { $in: keys } }, readLimits).toArray()
      await eraseFromFanOuts(
        found.map((document) => ({ document, persons: persons.get(hex(document._id)) ?? new Map() })),
      )
    }
    const own = concerned.flatMap(({ notification: { subscriberId, id, recipientIds }, erased }) =>
      recipientIds
        .filter((recipientId) => erased.has(recipientId))
        .map((recipientId) => toKey(subscriberId, recipientId, id)),
    )
    await removeRetracted(own)
    return concerned.map(({ notification }) => notification)
  }
}

const keyOf = ({ subscriberId, id }: NewNotification) => toKey(subscriberId, id)
const hex = (key: { toString(encoding: 'hex'): string }) => key.toString('hex')
