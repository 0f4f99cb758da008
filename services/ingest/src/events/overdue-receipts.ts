import { limits } from '@herald/contracts'
import type { Receipts } from '@herald/store'
import type { DeadLetters } from './dead-letter.ts'
import { fromRecordText } from './record-text.ts'

export type OverdueReceiptsDependencies = {
  readonly receipts: Pick<Receipts, 'claimOverdue'>
  readonly deadLetters: DeadLetters
  readonly clock: () => Date
  /** Everything that the mention topic held at that time has been handled; `undefined` while that is not known. */
  readonly mentionsHandledUntil: () => Date | undefined
  readonly observe: (code: 'unmatched_receipt') => void
}

const leaseMs = 60_000

/**
 * Makes dead letters of the receipts that have waited in vain: for 10 minutes, and until the mention topic was read up to
 * where it stood when they came. A notification that is merely late must not lose its receipts.
 *
 * @returns how many
 */
export async function deadLetterOverdueReceipts(dependencies: OverdueReceiptsDependencies): Promise<number> {
  const { receipts, deadLetters, clock, mentionsHandledUntil, observe } = dependencies
  const handledUntil = mentionsHandledUntil()
  if (handledUntil === undefined) return 0
  const before = new Date(Math.min(clock().getTime() - limits.receiptWaitMs, handledUntil.getTime()))
  for (let count = 0; ; count++) {
    const overdue = await receipts.claimOverdue(before, clock(), leaseMs)
    if (!overdue) return count
    const detail = 'No notification came for this receipt within 10 minutes'
    await deadLetters.publish([{ record: fromRecordText(overdue.record), code: 'unmatched_receipt', detail }])
    await overdue.forget()
    observe('unmatched_receipt')
  }
}
