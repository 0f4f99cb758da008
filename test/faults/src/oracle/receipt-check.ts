import { readStateFields, readStateTime } from './compare-document.ts'
import { type EventPlan, receiptOf, receiptTargetKey, timeOf, waitingKey } from './event-plan.ts'
import type { StoredDocuments } from './stored-documents.ts'

/**
 * The receipts that are neither waiting nor applied. The waiting ones are read first: a receipt is applied before it is
 * removed from them, so a receipt that moves in between is found as applied.
 */
export async function findUnhandledReceipts<T extends { n: number }>(
  plan: EventPlan,
  stored: StoredDocuments,
  receipts: readonly T[],
  linearizable: boolean,
): Promise<T[]> {
  if (receipts.length === 0) return []
  const waiting = await stored.find(
    stored.waitingReceipts,
    receipts.map(({ n }) => waitingKey(plan, n)),
    { linearizable, projection: { _id: 1 } },
  )
  const open = receipts.filter(({ n }) => !waiting.has(waitingKey(plan, n).toString('hex')))
  const documents = await stored.find(
    stored.notifications,
    open.map(({ n }) => receiptTargetKey(plan, n)),
    { linearizable, projection: { emailSentAt: 1, ...readStateFields } },
  )
  return open.filter(({ n }) => {
    const document = documents.get(receiptTargetKey(plan, n).toString('hex'))
    if (!document) return true
    const { emailSentAt } = document
    const isEmail = receiptOf(n).kind === 'email-sent'
    // The earliest e-mail receipt wins; a later mark may have superseded a read receipt.
    if (isEmail) return !(emailSentAt instanceof Date && emailSentAt.getTime() <= timeOf(plan, n))
    return !((readStateTime(document) ?? 0) >= timeOf(plan, n))
  })
}
