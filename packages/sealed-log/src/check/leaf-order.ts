import type { Range } from '../tree/subtrees.ts'

/**
 * `next`: the index that follows, or one behind a gap. `early`: it is ahead of lines that follow. `late`: it belongs into a gap
 * before lines that came already. `repeated`: it came already.
 */
type Place = 'next' | 'early' | 'late' | 'repeated'

/** Nothing can be said about an export with more disorder than this. Each of 1,000,000 lines may be out of turn. */
export const mostDisorder = 1_000_000

/** Follows the indexes of lines, and remembers those without a line: 16 bytes for a gap, and a number for a line out of turn. */
export function createLeafOrder() {
  /** First indexes and ends of what was skipped, ascending. Lines that came early or late lie within. */
  const froms: number[] = []
  const ends: number[] = []
  const outOfTurn = new Set<number>()
  let end = 0

  const isInGap = (index: number) => index < (ends[lastAtOrBefore(froms, index)] ?? 0)

  return {
    /** @param following the index of the line behind it */
    place(index: number, following: number | undefined): Place {
      if (outOfTurn.has(index) || (index < end && !isInGap(index))) return 'repeated'
      if (index < end) {
        outOfTurn.add(index)
        return 'late'
      }
      if (index > end && following !== undefined && following < index) {
        outOfTurn.add(index)
        return 'early'
      }
      if (index > end) {
        froms.push(end)
        ends.push(index)
      }
      end = index + 1
      return 'next'
    },
    /** The index behind the last one in order. */
    end: () => end,
    /** The number of gaps and of lines out of turn: at most that of all lines. */
    disorder: () => froms.length + outOfTurn.size,
    /** The indexes without a line, ascending, below `size` and below the last one in order. */
    *missing(size: number): Generator<Range, void, void> {
      const found = Float64Array.from(outOfTurn).sort()
      let at = 0
      const gaps = froms.length + (end < size ? 1 : 0)
      for (let gap = 0; gap < gaps; gap++) {
        let from = froms[gap] ?? end
        const to = ends[gap] ?? size
        for (; at < found.length && (found[at] as number) < to; at++) {
          const index = found[at] as number
          if (index > from) yield { from, to: index }
          from = index + 1
        }
        if (from < to) yield { from, to }
      }
    },
  }
}

/** The last of ascending numbers that is at most another one; -1 if none is. */
export function lastAtOrBefore(numbers: ArrayLike<number>, most: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] as number) <= most) low = middle + 1
    else high = middle
  }
  return low - 1
}
