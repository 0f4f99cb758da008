/** The part of a long list that is rendered: items from `start` to before `end`, and the pixels of those above and below. */
export type ListRange = { readonly start: number; readonly end: number; readonly above: number; readonly below: number }

/** The visible part of a scrolling element, in pixels. */
export type Viewport = { readonly top: number; readonly height: number }

/** Lists up to this length are rendered whole. */
const wholeUpTo = 60
/** Ranges begin and end at multiples of this, so that most scrolling changes nothing. */
const step = 8
/** Pixels rendered above and below the visible part. */
const margin = 600
const firstGuess = 92

/** Computes what is rendered of a long list. Items that were not measured yet are taken to be as high as the first ones on average. */
export function createListWindow() {
  const heights = new Map<string, number>()
  let estimate: number | undefined
  const heightOf = (id: string) => heights.get(id) ?? estimate ?? firstGuess

  return {
    heightOf,
    measure(measured: ReadonlyMap<string, number>): void {
      for (const [id, height] of measured) heights.set(id, height)
      // Only once: with every other mean, all that was not measured would move.
      if (heights.size > 0) estimate ??= [...heights.values()].reduce((sum, height) => sum + height) / heights.size
    },
    /** The pixels above an item. */
    offsetOf: (ids: readonly string[], index: number) =>
      ids.slice(0, index).reduce((pixels, id) => pixels + heightOf(id), 0),
    range(ids: readonly string[], { top, height }: Viewport): ListRange {
      if (ids.length <= wholeUpTo) return { start: 0, end: ids.length, above: 0, below: 0 }
      let [start, end, above, below, pixels] = [0, 0, 0, 0, 0]
      for (let from = 0; from < ids.length; from += step) {
        const to = Math.min(from + step, ids.length)
        const before = pixels
        for (let index = from; index < to; index++) pixels += heightOf(ids[index] as string)
        if (pixels <= top - margin) [start, above] = [to, pixels]
        else if (before >= top + height + margin) below += pixels - before
        else end = to
      }
      // The list became shorter than what was scrolled past.
      return end === 0
        ? { start: 0, end: Math.min(ids.length, wholeUpTo), above: 0, below: 0 }
        : { start, end, above, below }
    },
  }
}
