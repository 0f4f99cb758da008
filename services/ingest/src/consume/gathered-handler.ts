import type { IncomingRecord } from '@herald/kafka'
import type { HandleRecords } from '../events/record-handler.ts'
import type { RecordKind } from '../settings/config.ts'
import { groupsOf } from './chunks.ts'

type Share = {
  readonly records: readonly IncomingRecord[]
  readonly kind: RecordKind
  resolve(): void
  reject(error: unknown): void
}

type WouldFailAgain = (error: unknown, records: readonly IncomingRecord[]) => boolean

/**
 * Gathers the records of partitions that arrive at the same moment, as those of one fetch do, and handles them together up
 * to the size of a chunk. With few records per partition, separate writes and commits would dominate the latency.
 *
 * After an error each partition's share is handled separately, so that it does not depend on another's, unless
 * `wouldFailAgain` returns true for it.
 */
export function createGatheredHandler(handle: HandleRecords, wouldFailAgain: WouldFailAgain): HandleRecords {
  let waiting: Share[] = []

  const handleAlone = ({ records, kind, resolve, reject }: Share): void => {
    handle(records, kind).then(resolve, reject)
  }

  const handleTogether = async (shares: readonly Share[]): Promise<void> => {
    const [first] = shares
    if (first === undefined) return
    if (shares.length === 1) return handleAlone(first)
    try {
      await handle(
        shares.flatMap(({ records }) => records),
        first.kind,
      )
      for (const { resolve } of shares) resolve()
    } catch (error) {
      for (const share of shares) {
        if (wouldFailAgain(error, share.records)) share.reject(error)
        else handleAlone(share)
      }
    }
  }

  const handleWaiting = (): void => {
    const shares = waiting
    waiting = []
    for (const [kind, ofKind] of Map.groupBy(shares, (share) => share.kind)) {
      for (const group of groupsOf(ofKind, kind)) void handleTogether(group)
    }
  }

  return (records, kind) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(handleWaiting)
      waiting.push({ records, kind, resolve, reject })
    })
}
