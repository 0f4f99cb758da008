import type { Binary, Collection } from 'mongodb'
import { toKey } from '../binary.ts'
import type { NewNotification } from '../notifications/notification-document.ts'
import { readLimits } from '../reading/read-limits.ts'
import { type FanOutDocument, recipientsIn } from './fan-out-document.ts'
import { inBatches } from './in-batches.ts'
import { bytesIn, toRecipientList } from './recipient-list.ts'

/** Of at most 160 KB each. */
const fanOutsPerBatch = 50

/**
 * Limits redelivered notifications to the recipients of the first delivery. If an event named others since, a retraction
 * would not find them in its fan-out.
 *
 * @returns those that change, by the given notification
 */
export async function limitToFirstRecipients(
  fanOuts: Collection<FanOutDocument>,
  notifications: readonly NewNotification[],
): Promise<ReadonlyMap<NewNotification, NewNotification>> {
  const changed = new Map<NewNotification, NewNotification>()
  for (const batch of inBatches(notifications, fanOutsPerBatch)) {
    const keys = batch.map(keyOf)
    const projection = { recipients: 1, erased: 1 } as const
    const found = await fanOuts.find({ _id: { $in: keys } }, { ...readLimits, projection }).toArray()
    const byKey = new Map(found.map((fanOut) => [hex(fanOut._id), fanOut]))
    for (const [index, notification] of batch.entries()) {
      const first = byKey.get(hex(keys[index] as Binary))
      if (first === undefined || bytesIn(first.recipients).equals(toRecipientList(notification.recipientIds))) continue
      const ids = new Set(recipientsIn(first))
      const recipientIds = notification.recipientIds.filter((id) => ids.has(id))
      changed.set(notification, { ...notification, recipientIds })
    }
  }
  return changed
}

const keyOf = ({ subscriberId, id }: NewNotification) => toKey(subscriberId, id)
const hex = (binary: Binary) => binary.toString('hex')
