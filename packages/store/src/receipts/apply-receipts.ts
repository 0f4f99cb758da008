import type { Binary, Collection } from 'mongodb'
import type { NotificationDocument } from '../notifications/notification-document.ts'
import { readReceiptAt } from '../notifications/read-state.ts'
import { StorageUnavailableError } from '../storage-errors.ts'
import type { ReceiptKind } from './waiting-receipt.ts'

type Notifications = Collection<NotificationDocument>
type Keyed = { readonly key: Binary; readonly kind: ReceiptKind; readonly at: Date }

const updatesAtOnce = 32

/**
 * Applies receipts: those of one notification in order, different notifications concurrently. Each is one update by
 * key, because MongoDB 6 scans a whole clustered collection for a list of keys.
 *
 * @returns the receipts whose notification is missing
 */
export async function applyPresent<T extends Keyed>(
  notifications: Notifications,
  receipts: readonly T[],
): Promise<T[]> {
  const missing: T[] = []
  const queues = [...groupByKey(receipts).values()]
  const work = async (): Promise<void> => {
    for (let queue = queues.pop(); queue; queue = queues.pop()) {
      for (const receipt of queue) {
        const { matchedCount } = await applyOne(notifications, receipt)
        if (matchedCount === 0) missing.push(receipt)
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: updatesAtOnce }, work))
  } catch (cause) {
    throw new StorageUnavailableError('MongoDB did not confirm the receipts', { cause })
  }
  return missing
}

function groupByKey<T extends Keyed>(receipts: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const receipt of receipts) {
    const id = receipt.key.toString('hex')
    const group = groups.get(id)
    if (group) group.push(receipt)
    else groups.set(id, [receipt])
  }
  return groups
}

function applyOne(notifications: Notifications, { key, kind, at }: Keyed) {
  if (kind === 'email-sent') return notifications.updateOne({ _id: key }, { $min: { emailSentAt: at } })
  return notifications.updateOne({ _id: key }, readReceiptAt(at))
}
