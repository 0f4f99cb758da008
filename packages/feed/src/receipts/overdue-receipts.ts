import { randomUUID } from 'node:crypto'
import { heldUntil, inBatches, readLimits, toUuidBinary } from '@herald/mongo'
import type { Binary } from 'mongodb'
import type { ReceiptContext, WaitingReceiptDocument, WaitingReceipts } from '../documents/waiting-receipt.ts'

export type OverdueReceipts = { readonly records: readonly string[]; forget(): Promise<void> }

type Claim = ReceiptContext & { before: Date; leaseMs: number }

/** Most receipts are small, but a record may have many MiB. */
const batch = { receipts: 200, bytes: 4 * 1024 * 1024 } as const
/** After this time, any group may claim the receipts of a group that no longer exists. */
const groupGoneMs = 24 * 60 * 60 * 1_000

export async function claimOverdue(
  waiting: WaitingReceipts,
  claim: Claim,
  settle: (documents: WaitingReceiptDocument[]) => Promise<ReadonlySet<WaitingReceiptDocument>>,
): Promise<OverdueReceipts | undefined> {
  for (;;) {
    const ids = await findOverdue(waiting, claim)
    if (ids.length === 0) return undefined
    const claimId = toUuidBinary(randomUUID())
    const leaseUntil = new Date(claim.now.getTime() + claim.leaseMs)
    await waiting.updateMany({ _id: { $in: ids }, ...overdueNow(claim) }, { $set: { leaseUntil, claimId } })
    // Another process may have claimed some first, and a group that replays a topic may have taken some over.
    const own = { _id: { $in: ids }, claimId }
    const claimed = await waiting.find(own, readLimits).toArray()
    const settled = await settle(claimed)
    const overdue = claimed.filter((document) => !settled.has(document))
    if (overdue.length === 0) continue
    return {
      records: overdue.map(({ record }) => record),
      forget: async () => void (await waiting.deleteMany(own)),
    }
  }
}

function overdueNow({ before, now, group, leaseMs }: Claim) {
  const abandonedSince = new Date(before.getTime() - groupGoneMs)
  return {
    waitingSince: { $lt: before },
    leaseUntil: { $not: heldUntil(now, leaseMs) },
    $or: [{ group }, { waitingSince: { $lt: abandonedSince } }],
  }
}

/** The keys of the next batch: at least one, and as many as fit into the limit of bytes. */
async function findOverdue(waiting: WaitingReceipts, claim: Claim): Promise<Binary[]> {
  const found = await waiting
    .find(overdueNow(claim), { ...readLimits, projection: { bytes: { $strLenBytes: '$record' } } })
    .sort({ waitingSince: 1 })
    .limit(batch.receipts)
    .toArray()
  const sized = found as unknown as { readonly _id: Binary; readonly bytes: number }[]
  const [first = []] = inBatches(sized, batch.receipts, { bytes: batch.bytes, sizeOf: ({ bytes }) => bytes })
  return first.map(({ _id }) => _id)
}
