import type { Binary, Collection } from 'mongodb'
import type { NotificationDocument } from '../notifications/notification-document.ts'
import { readReceiptAt } from '../notifications/read-state.ts'
import { readLimits } from '../reading/read-limits.ts'
import { StorageUnavailableError } from '../storage-errors.ts'
import type { ReceiptKind } from './waiting-receipt.ts'

type Notifications = Collection<NotificationDocument>
type Keyed = { readonly key: Binary; readonly kind: ReceiptKind; readonly at: Date }

const lookupsAtOnce = 32
const hex = (binary: Binary) => binary.toString('hex')

/**
 * Applies receipts in order, in one write. If it matched fewer documents, the missing ones are looked up and the others are
 * applied again, which changes nothing unless they were stored in between.
 *
 * @returns the receipts whose notification is missing
 */
export async function applyPresent<T extends Keyed>(
  notifications: Notifications,
  receipts: readonly T[],
): Promise<T[]> {
  try {
    return await apply(notifications, receipts)
  } catch (cause) {
    throw new StorageUnavailableError('MongoDB did not confirm the receipts', { cause })
  }
}

async function apply<T extends Keyed>(notifications: Notifications, receipts: readonly T[]): Promise<T[]> {
  if (receipts.length === 0) return []
  const { matchedCount } = await notifications.bulkWrite(receipts.map(toUpdate), { ordered: true })
  if (matchedCount === receipts.length) return []
  if (matchedCount === 0) return [...receipts]
  const present = await findPresent(notifications, receipts)
  const isPresent = ({ key }: T) => present.has(hex(key))
  const missing = receipts.filter((receipt) => !isPresent(receipt))
  return [...missing, ...(await apply(notifications, receipts.filter(isPresent)))]
}

function toUpdate({ key, kind, at }: Keyed) {
  const update = kind === 'email-sent' ? { $min: { emailSentAt: at } } : readReceiptAt(at)
  return { updateOne: { filter: { _id: key }, update } }
}

/** Looks up each key on its own, because MongoDB 6 scans a whole clustered collection for a list of keys. */
async function findPresent(notifications: Notifications, receipts: readonly Keyed[]): Promise<Set<string>> {
  const keys = new Map(receipts.map(({ key }) => [hex(key), key])).entries()
  const present = new Set<string>()
  const work = async (): Promise<void> => {
    for (const [text, _id] of keys) {
      if (await notifications.findOne({ _id }, { ...readLimits, projection: { _id: 1 } })) present.add(text)
    }
  }
  await Promise.all(Array.from({ length: lookupsAtOnce }, work))
  return present
}
