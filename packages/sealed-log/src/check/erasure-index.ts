import { isIndex, type LineObject, readErasure } from './sealed-line.ts'

export type NamedErasure = {
  readonly leafIndex: number
  readonly eventId: string
  readonly time: string
}

type Named = { readonly from: number; readonly to: number; readonly erasure: NamedErasure }

/** The erasures of an export, and which entries each names. It must see all lines before the first question. */
export function createErasureIndex() {
  const ranges: Named[] = []
  let isSorted = true
  /** The largest end of all ranges up to one, where the search for one that contains an index can stop. */
  let ends: number[] = []

  function sort() {
    ranges.sort((a, b) => a.from - b.from)
    let end = 0
    ends = ranges.map(({ to }) => {
      end = Math.max(end, to)
      return end
    })
    isSorted = true
  }

  return {
    add({ leafIndex, erasure }: LineObject) {
      if (erasure === undefined || !isIndex(leafIndex)) return
      const leaf = readErasure(erasure, leafIndex)
      if (leaf === undefined) return
      const { eventId, time, leafIndexes } = leaf
      const named = { leafIndex, eventId, time }
      for (const [from, to] of leafIndexes) ranges.push({ from, to, erasure: named })
      isSorted = false
    },
    /** The erasure that names a leaf. If there are several, the one with the lowest index, which is sealed first. */
    find(index: number): NamedErasure | undefined {
      if (!isSorted) sort()
      let found: NamedErasure | undefined
      for (let at = lastBefore(ranges, index); at >= 0 && (ends[at] as number) > index; at--) {
        const { to, erasure } = ranges[at] as Named
        if (to > index && (found === undefined || erasure.leafIndex < found.leafIndex)) found = erasure
      }
      return found
    },
  }
}

export type ErasureIndex = ReturnType<typeof createErasureIndex>

/** The last range that begins at or before an index; -1 if none does. */
function lastBefore(ranges: readonly Named[], index: number): number {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle] as Named).from <= index) low = middle + 1
    else high = middle
  }
  return low - 1
}
