import type { RecordGroup } from './read-records.ts'
import type { RecordBatch } from './record-batch.ts'

type Groups = AsyncGenerator<RecordGroup>
type Paused = { readonly firstOffset: number; readonly nextOffset: number; readonly groups: Groups }

export type PausedBatches = {
  keep(place: string, batch: RecordBatch, nextOffset: number, groups: Groups): void
  /** The batch, paused just before this offset. */
  take(place: string, batch: RecordBatch, nextOffset: number): Groups | undefined
}

/** Each holds its compressed bytes and what its codec looks back at: 128 MiB at the very most, kilobytes as a rule. */
const mostPaused = 4

/**
 * Batches of which a part was read, so that they need not be decompressed from their beginning for the next part. It is
 * there for speed: one that is not found is begun anew.
 */
export function createPausedBatches(): PausedBatches {
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
      paused.set(place, { firstOffset, nextOffset, groups })
      const [oldest] = paused.keys()
      if (paused.size > mostPaused && oldest !== undefined) letGo(remove(oldest))
    },
    take(place, { firstOffset }, nextOffset) {
      const found = remove(place)
      if (found?.firstOffset === firstOffset && found.nextOffset === nextOffset) return found.groups
      letGo(found)
      return undefined
    },
  }
}
