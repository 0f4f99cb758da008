import { hex, inBatches, readLimits, toKey } from '@herald/mongo'
import type { ErasedLook } from '@herald/persons'
import type { Collection } from 'mongodb'
import type { FanOutDocument } from '../documents/fan-out-document.ts'
import { erasedIn } from '../documents/mask.ts'
import { type NewNotification, notificationKey } from '../documents/notification-document.ts'
import type { RemoveRetracted } from '../retractions/remove-retracted.ts'
import type { EraseFromFanOuts } from './erase-from-fan-outs.ts'

/** Erases persons from notifications that were just stored, because an erasure may not have found them. */
export type EraseStored = ReturnType<typeof createEraseStored>

export type EraseStoredDependencies = {
  readonly fanOuts: Collection<FanOutDocument>
  readonly removeRetracted: RemoveRetracted
  readonly eraseFromFanOuts: EraseFromFanOuts
}

/** A fan-out has at most 180 KB. */
const fanOutsPerBatch = 50

export function createEraseStored({ fanOuts, removeRetracted, eraseFromFanOuts }: EraseStoredDependencies) {
  return async (stored: readonly NewNotification[], { find, isEmpty }: Pick<ErasedLook, 'find' | 'isEmpty'>) => {
    const concerned = (isEmpty ? [] : stored).flatMap((notification) => {
      const erased = erasedIn(notification, find)
      return erased.size === 0 ? [] : [{ notification, erased }]
    })
    const refused = new Map<string, string>()
    for (const batch of inBatches(concerned, fanOutsPerBatch)) {
      const persons = new Map(batch.map(({ notification, erased }) => [hex(notificationKey(notification)), erased]))
      const keys = batch.map(({ notification }) => notificationKey(notification))
      const found = await fanOuts.find({ _id: { $in: keys } }, readLimits).toArray()
      const outcome = await eraseFromFanOuts(
        found.map((document) => ({ document, persons: persons.get(hex(document._id)) ?? new Map() })),
      )
      for (const [key, reason] of outcome.refused) refused.set(key, reason)
    }
    const own = concerned.flatMap(({ notification: { subscriberId, id, recipientIds }, erased }) =>
      recipientIds
        .filter((recipientId) => erased.has(recipientId))
        .map((recipientId) => toKey(subscriberId, recipientId, id)),
    )
    await removeRetracted(own)
    return { erased: concerned.map(({ notification }) => notification), refused }
  }
}
