import { bytesToUuid } from '@herald/contracts'
import { byKey, hex, inBatches, readLimits } from '@herald/mongo'
import type { Binary, Collection } from 'mongodb'
import { type FanOutDocument, mutedIn } from '../documents/fan-out-document.ts'
import { type Muted, type NewNotification, notificationKey } from '../documents/notification-document.ts'
import { bytesIn, positionsOf, recipientAt, toRecipientList } from '../documents/recipient-list.ts'

/** A notification to store, and who has muted it. */
export type Decided = { readonly notification: NewNotification; readonly muted: Muted | undefined }

/** A fan-out has at most 180 KB. */
const fanOutsPerBatch = 50

/**
 * Returns the decisions of fan-outs when they were first stored: redelivered notifications have their first recipients, as a retraction
 * would not find others there, and are muted for those who had muted them then.
 */
export async function asFirstStored(
  fanOuts: Collection<FanOutDocument>,
  notifications: readonly NewNotification[],
): Promise<ReadonlyMap<NewNotification, Decided>> {
  const decided = new Map<NewNotification, Decided>()
  for (const batch of inBatches(notifications, fanOutsPerBatch)) {
    const keys = batch.map(notificationKey)
    const projection = { recipients: 1, muted: 1 } as const
    const found = await fanOuts.find({ _id: { $in: keys } }, { ...readLimits, projection }).toArray()
    const fanOutOf = byKey(found)
    for (const [index, notification] of batch.entries()) {
      const first = fanOutOf.get(hex(keys[index] as Binary))
      if (first === undefined) continue
      decided.set(notification, { notification: limitTo(first, notification), muted: mutedIn(first) })
    }
  }
  return decided
}

function limitTo(first: Pick<FanOutDocument, 'recipients'>, notification: NewNotification): NewNotification {
  const named = toRecipientList(notification.recipientIds)
  if (bytesIn(first.recipients).equals(named)) return notification
  const known = positionsOf(named, bytesIn(first.recipients))
  return { ...notification, recipientIds: known.map((position) => bytesToUuid(recipientAt(named, position))) }
}
