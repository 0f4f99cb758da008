import type { RecordGroup } from './read-records.ts'
import type { RecordBatch } from './record-batch.ts'

type Groups = AsyncGenerator<RecordGroup>
type Paused = {
  readonly firstOffset: number
  readonly nextOffset: number
  readonly groups: Groups
  readonly at: number
}

export type PausedBatches = {
  /** Keeps a partially read batch; returns `false` when there is no room and the caller has to read it to its end. */
  keep(place: string, batch: RecordBatch, nextOffset: number, groups: Groups): boolean
  /** Returns the partition's batch if it was paused just before this offset. */
  take(place: string, batch: RecordBatch, nextOffset: number): Groups | undefined
}

/** Each holds its compressed bytes and its codec's window: usually kilobytes, at most 128 MiB. */
const maxPaused = 8
/** The batch of a revoked partition is never taken, so it expires. */
const keptMs = 60_000

/** Keeps partially read batches, so that the next fetch does not have to decompress them from the start. */
export function createPausedBatches(now = () => performance.now()): PausedBatches {
  const paused = new Map<string, Paused>()

  const remove = (place: string): Paused | undefined => {
    const found = paused.get(place)
    paused.delete(place)
    return found
  }

  const close = (found: Paused | undefined): void => {
    found?.groups.return(undefined).catch(() => {})
  }

  return {
    keep(place, { firstOffset }, nextOffset, groups) {
      close(remove(place))
      for (const [other, { at }] of paused) if (at + keptMs < now()) close(remove(other))
      if (paused.size >= maxPaused) return false
      paused.set(place, { firstOffset, nextOffset, groups, at: now() })
      return true
    },
    take(place, { firstOffset }, nextOffset) {
      const found = remove(place)
      if (found?.firstOffset === firstOffset && found.nextOffset === nextOffset) return found.groups
      close(found)
      return undefined
    },
  }
}
