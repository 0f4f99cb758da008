import { limits } from '@herald/contracts'
import type { Logger } from '@herald/runtime'
import type { Receipts } from '@herald/store'
import type { DeadLetters } from './dead-letter.ts'
import { fromRecordText } from './record-text.ts'

export type OverdueReceiptsDependencies = {
  readonly receipts: Pick<Receipts, 'claimOverdue'>
  readonly deadLetters: DeadLetters
  readonly group: string
  readonly clock: () => Date
  readonly logger: Pick<Logger, 'warn'>
  /** Everything that the mention topic held at that time has been handled; `undefined` while that is not known. */
  readonly mentionsHandledUntil: () => Date | undefined
  readonly observe: (code: 'unmatched_receipt', count: number) => void
}

export type OverdueReceipts = {
  /**
   * Makes dead letters of the receipts that have waited in vain: for 10 minutes, and until the mention topic was read up to
   * where it stood when they came. A notification that is merely late must not lose its receipts. Of many, some batches:
   * the next look goes on with the rest. One that finds another look at work joins it. Never rejects.
   */
  look(): Promise<void>
  /** Resolves when the batch in hand is done. */
  stop(): Promise<void>
}

const leaseMs = 60_000
const batchesPerLook = 20

export function createOverdueReceipts(dependencies: OverdueReceiptsDependencies): OverdueReceipts {
  const { receipts, deadLetters, group, clock, logger, mentionsHandledUntil, observe } = dependencies
  let stopped = false
  let looking: Promise<void> | undefined

  const deadLetterBatch = async (): Promise<number> => {
    const handledUntil = mentionsHandledUntil()
    if (handledUntil === undefined || stopped) return 0
    const now = clock()
    const before = new Date(Math.min(now.getTime() - limits.receiptWaitMs, handledUntil.getTime()))
    const overdue = await receipts.claimOverdue({ before, now, group, leaseMs })
    if (!overdue) return 0
    const detail = 'No notification came for this receipt within 10 minutes'
    await deadLetters.publish(
      overdue.records.map((text) => ({ record: fromRecordText(text), code: 'unmatched_receipt', detail })),
    )
    await overdue.forget()
    observe('unmatched_receipt', overdue.records.length)
    return overdue.records.length
  }

  const deadLetterSome = async (): Promise<void> => {
    try {
      for (let batches = 0; batches < batchesPerLook; batches++) {
        if ((await deadLetterBatch()) === 0) return
      }
    } catch (error) {
      logger.warn({ err: error }, 'Could not look after the receipts that wait')
    } finally {
      looking = undefined
    }
  }

  return {
    look() {
      looking ??= deadLetterSome()
      return looking
    },
    async stop() {
      stopped = true
      await looking
    },
  }
}
