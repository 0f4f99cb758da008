import { eachAtOnce, hex, readLimits, writeEach } from '@herald/mongo'
import type { Binary, Collection, Document } from 'mongodb'
import { boxes, type NotificationDocument } from '../documents/notification-document.ts'
import type { ReceiptKind } from '../documents/waiting-receipt.ts'

type Notifications = Collection<NotificationDocument>
type Keyed = { readonly key: Binary; readonly kind: ReceiptKind; readonly at: Date }

const lookupsAtOnce = 32

/** The receipts whose notification is missing, and those that MongoDB refused, with the reason. */
type Unapplied<T> = { readonly missing: readonly T[]; readonly refused: ReadonlyMap<T, string> }

/** Applies receipts in order, in one write. If it matched fewer, the missing ones are looked up and the others repeated. */
export async function applyPresent<T extends Keyed>(
  notifications: Notifications,
  receipts: readonly T[],
): Promise<Unapplied<T>> {
  const refused = new Map<T, string>()
  let [left, missing] = [receipts, [] as T[]]
  while (left.length > 0) {
    const updates = left.map((receipt) => ({ receipt, update: toUpdate(receipt) }))
    const outcome = await writeEach(
      notifications,
      updates.map(({ update }) => update),
    )
    for (const { document, reason } of outcome.refused) {
      const found = updates.find(({ update }) => update === document)
      if (found) refused.set(found.receipt, reason)
    }
    if (outcome.matched + outcome.refused.length === left.length) break
    left = left.filter((receipt) => !refused.has(receipt))
    if (outcome.matched === 0) return { missing: [...missing, ...left], refused }
    const present = await findPresent(notifications, left)
    const isPresent = ({ key }: T) => present.has(hex(key))
    missing = [...missing, ...left.filter((receipt) => !isPresent(receipt))]
    left = left.filter(isPresent)
  }
  return { missing, refused }
}

function toUpdate({ key, kind, at }: Keyed) {
  const update = kind === 'email-sent' ? { $min: { emailSentAt: at } } : readReceiptAt(at)
  return { updateOne: { filter: { _id: key }, update } }
}

/**
 * The update for a read receipt. It applies to an unread notification if its time is later than the recipient's newest
 * mark and every earlier receipt: a receipt never applies twice, however far its publisher's clock is ahead. The
 * condition is in the pipeline and not in the filter, so that the result shows whether the notification exists.
 */
function readReceiptAt(at: Date): Document[] {
  const isLater = (field: string) => ({ $not: { $gte: [field, at] } })
  const applies = { $and: [{ $eq: ['$box', boxes.unread] }, isLater('$readStateAt'), isLater('$receiptAt')] }
  const ifApplies = (value: unknown, field: string) => ({ $cond: [applies, value, field] })
  return [
    {
      $set: {
        readAt: ifApplies(at, '$readAt'),
        box: ifApplies(boxes.read, '$box'),
        receiptAt: { $max: ['$receiptAt', at] },
      },
    },
  ]
}

async function findPresent(notifications: Notifications, receipts: readonly Keyed[]): Promise<Set<string>> {
  const present = new Set<string>()
  const keys = new Map(receipts.map(({ key }) => [hex(key), key]))
  await eachAtOnce(keys, lookupsAtOnce, async ([text, _id]) => {
    if (await notifications.findOne({ _id }, { ...readLimits, projection: { _id: 1 } })) present.add(text)
  })
  return present
}
