import { lastAtOrBefore } from './leaf-order.ts'
import { isIndex, type LineObject, readErasure } from './sealed-line.ts'

export type NamedErasure = {
  readonly leafIndex: number
  readonly eventId: string
  readonly time: string
}

/** An erasure, and its range of {@link createErasureIndex}'s ranges. */
type Kept = NamedErasure & { readonly from: number; readonly to: number }

/** The erasures of an export, and which entries each names. It must see all lines before the first question. */
export function createErasureIndex() {
  const erasures: Kept[] = []
  /** First index and end of each range of all erasures, in one array of numbers, because there may be millions. */
  const ranges: number[] = []
  let index: ReturnType<typeof toOwners> | undefined

  return {
    add({ leafIndex, erasure }: LineObject) {
      if (erasure === undefined || !isIndex(leafIndex)) return
      const leaf = readErasure(erasure, leafIndex)
      if (leaf === undefined) return
      const { eventId, time, leafIndexes } = leaf
      const from = ranges.length
      for (const [first, end] of leafIndexes) ranges.push(first, end)
      erasures.push({ leafIndex, eventId, time, from, to: ranges.length })
      index = undefined
    },
    /** The erasure that names a leaf. If there are several, the one with the lowest index, which is sealed first. */
    find(leaf: number): NamedErasure | undefined {
      index ??= toOwners(erasures, ranges)
      return erasures[index.owners[lastAtOrBefore(index.bounds, leaf)] ?? -1]
    },
  }
}

export type ErasureIndex = ReturnType<typeof createErasureIndex>

/** Parts of the indexes, by their first index, and the place of the erasure that names each; -1 for none. */
function toOwners(erasures: Kept[], ranges: readonly number[]) {
  erasures.sort((a, b) => a.leafIndex - b.leafIndex)
  const bounds = Float64Array.from(ranges).sort()
  const owners = new Int32Array(bounds.length).fill(-1)
  /** For each part, one behind it that no erasure may have taken yet: parts that are taken are passed in one step. */
  const free = Int32Array.from({ length: bounds.length + 1 }, (_, at) => at)
  const firstFree = (part: number) => {
    let found = part
    while (free[found] !== found) {
      free[found] = free[free[found] as number] as number
      found = free[found] as number
    }
    return found
  }
  for (const [owner, { from, to }] of erasures.entries()) {
    for (let range = from; range < to; range += 2) {
      const end = ranges[range + 1] as number
      let part = firstFree(lastAtOrBefore(bounds, ranges[range] as number))
      while ((bounds[part] ?? end) < end) {
        owners[part] = owner
        free[part] = part + 1
        part = firstFree(part)
      }
    }
  }
  return { bounds, owners }
}
