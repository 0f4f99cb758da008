import type { Range } from '../tree/subtrees.ts'

/**
 * `next`: the index that follows, or one behind a gap. `early`: it is ahead of lines that follow. `late`: it belongs into a gap
 * before lines that came already. `repeated`: it came already.
 */
type Place = 'next' | 'early' | 'late' | 'repeated'

/** Follows the indexes of lines, and remembers those without a line. */
export function createLeafOrder() {
  /** Below `end`, ascending. */
  const gaps: Range[] = []
  /** The indexes that came early, from `end` on. */
  const early = new Set<number>()
  let end = 0

  function fill(index: number): Place {
    const at = findGap(gaps, index)
    const gap = gaps[at]
    if (gap === undefined || index < gap.from) return 'repeated'
    gaps.splice(at, 1, ...around(gap, [index]))
    return 'late'
  }

  /** The indexes from `from` to before `to` without those that came early. */
  const withoutEarly = (from: number, to: number) => {
    const within = Array.from(early).filter((index) => index >= from && index < to)
    return around({ from, to }, within)
  }

  return {
    /** @param following the index of the line behind it */
    place(index: number, following: number | undefined): Place {
      if (index < end) return fill(index)
      if (early.has(index)) return 'repeated'
      if (index > end && following !== undefined && following < index) {
        early.add(index)
        return 'early'
      }
      if (index > end) {
        gaps.push(...withoutEarly(end, index))
        for (const passed of early) if (passed < index) early.delete(passed)
      }
      end = index + 1
      return 'next'
    },
    /** The index behind the last one in order. */
    end: () => end,
    /** The indexes without a line, below `size` and below the last one in order. */
    missing: (size: number): readonly Range[] => [...gaps, ...(end < size ? withoutEarly(end, size) : [])],
  }
}

/** The parts of a range around some of its indexes. */
function around({ from, to }: Range, indexes: readonly number[]): Range[] {
  const bounds = indexes.toSorted((a, b) => a - b)
  const parts = [...bounds, to].map((end, i) => ({ from: i === 0 ? from : (bounds[i - 1] as number) + 1, to: end }))
  return parts.filter((part) => part.from < part.to)
}

/** The first gap that ends behind an index. */
function findGap(gaps: readonly Range[], index: number): number {
  let [low, high] = [0, gaps.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((gaps[middle] as Range).to <= index) low = middle + 1
    else high = middle
  }
  return low
}
