import { limits } from '@herald/contracts'
import type { Receipts } from '@herald/feed'
import type { Clock, Deadlines, Logger } from '@herald/runtime'
import type { DeadLetters } from '../produce/dead-letter.ts'
import { fromRecordText } from './record-text.ts'

export type OverdueReceiptsDependencies = {
  readonly receipts: Pick<Receipts, 'claimOverdue'>
  readonly deadLetters: DeadLetters
  readonly group: string
  readonly clock: Clock
  readonly logger: Pick<Logger, 'warn'>
  readonly deadlines: Pick<Deadlines, 'keep'>
  readonly limitMs?: number
  /** After which the rest is left to the next call. */
  readonly mostBatches?: number
  /** All mentions published before this time have been handled; `undefined` while unknown. */
  readonly mentionsCaughtUpTo: () => Date | undefined
  readonly observe: (code: 'unmatched_receipt', count: number) => void
}

const leaseMs = 60_000

export function createOverdueReceipts(dependencies: OverdueReceiptsDependencies) {
  const { receipts, deadLetters, group, clock, logger, deadlines, mentionsCaughtUpTo, observe } = dependencies
  const { limitMs = leaseMs, mostBatches = 20 } = dependencies
  let stopped = false
  let running: Promise<void> | undefined

  const deadLetterBatch = async (): Promise<number> => {
    const caughtUpTo = mentionsCaughtUpTo()
    if (caughtUpTo === undefined || stopped) return 0
    const now = clock()
    const before = new Date(Math.min(now.getTime() - limits.receiptWaitMs, caughtUpTo.getTime()))
    const overdue = await receipts.claimOverdue({ before, now, group, leaseMs })
    if (!overdue) return 0
    const detail = 'No notification arrived for this receipt within 10 minutes'
    await deadLetters.publish(
      overdue.records.map((text) => ({ record: fromRecordText(text), code: 'unmatched_receipt', detail })),
    )
    await overdue.forget()
    observe('unmatched_receipt', overdue.records.length)
    return overdue.records.length
  }

  const deadLetterSome = async (): Promise<void> => {
    try {
      for (let batches = 0; batches < mostBatches; batches++) {
        if ((await deadlines.keep('A batch of overdue receipts', limitMs, deadLetterBatch())) === 0) return
      }
    } catch (error) {
      logger.warn({ err: error }, 'Could not process overdue receipts')
    } finally {
      running = undefined
    }
  }

  return {
    /**
     * Dead-letters overdue receipts: those that have waited for 10 minutes and until all mentions published before them were
     * handled, so that a late notification does not lose its receipts. Processes a limited number of batches; the next call
     * continues. A concurrent call joins the running one. Never rejects.
     */
    process(): Promise<void> {
      running ??= deadLetterSome()
      return running
    },
    async stop(): Promise<void> {
      stopped = true
      await running
    },
  }
}
