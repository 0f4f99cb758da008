import { bytesToUuid } from '@herald/contracts'
import type { Binary, Collection } from 'mongodb'
import { inBatches } from '../documents/batches.ts'
import { byKey, hex } from '../documents/binary.ts'
import type { FanOutDocument } from '../documents/fan-out-document.ts'
import { keyOf, type NewNotification } from '../documents/notification-document.ts'
import { bytesIn, positionsOf, recipientAt, toRecipientList } from '../documents/recipient-list.ts'
import { readLimits } from '../reading/read-limits.ts'

/** Notifications with fewer recipients, by the given ones. */
export type LimitedTo = ReadonlyMap<NewNotification, NewNotification>

/** Of at most 160 KB each. */
const fanOutsPerBatch = 50

/** Limits redelivered notifications to their first recipients: a retraction would not find others in the fan-out. */
export async function limitToFirstRecipients(
  fanOuts: Collection<FanOutDocument>,
  notifications: readonly NewNotification[],
): Promise<LimitedTo> {
  const changed = new Map<NewNotification, NewNotification>()
  for (const batch of inBatches(notifications, fanOutsPerBatch)) {
    const keys = batch.map(keyOf)
    const projection = { recipients: 1 } as const
    const found = await fanOuts.find({ _id: { $in: keys } }, { ...readLimits, projection }).toArray()
    const fanOutOf = byKey(found)
    for (const [index, notification] of batch.entries()) {
      const first = fanOutOf.get(hex(keys[index] as Binary))
      const named = toRecipientList(notification.recipientIds)
      if (first === undefined || bytesIn(first.recipients).equals(named)) continue
      const known = positionsOf(named, bytesIn(first.recipients))
      const recipientIds = known.map((position) => bytesToUuid(recipientAt(named, position)))
      changed.set(notification, { ...notification, recipientIds })
    }
  }
  return changed
}
