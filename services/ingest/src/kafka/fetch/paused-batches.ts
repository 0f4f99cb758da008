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
  /** Keeps a batch of which a part was read; `false` when there is no room, so that it has to be read to its end. */
  keep(place: string, batch: RecordBatch, nextOffset: number, groups: Groups): boolean
  /** The batch of a partition, paused just before this offset. */
  take(place: string, batch: RecordBatch, nextOffset: number): Groups | undefined
}

/** Each holds its compressed bytes and what its codec looks back at: 128 MiB at the very most, kilobytes as a rule. */
const mostPaused = 8
/** A partition that was taken away does not come for its batch. */
const keptMs = 60_000

/** Batches of which a part was read, so that they need not be decompressed from their beginning for the next part. */
export function createPausedBatches(now = () => performance.now()): PausedBatches {
  const paused = new Map<string, Paused>()

  const remove = (place: string): Paused | undefined => {
    const found = paused.get(place)
    paused.delete(place)
    return found
  }

  const letGo = (found: Paused | undefined): void => {
    found?.groups.return(undefined).catch(() => {})
  }

  return {
    keep(place, { firstOffset }, nextOffset, groups) {
      letGo(remove(place))
      for (const [other, { at }] of paused) if (at + keptMs < now()) letGo(remove(other))
      if (paused.size >= mostPaused) return false
      paused.set(place, { firstOffset, nextOffset, groups, at: now() })
      return true
    },
    take(place, { firstOffset }, nextOffset) {
      const found = remove(place)
      if (found?.firstOffset === firstOffset && found.nextOffset === nextOffset) return found.groups
      letGo(found)
      return undefined
    },
  }
}
