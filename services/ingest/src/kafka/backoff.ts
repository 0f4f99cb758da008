/** Growing pauses, each drawn at random from half to all of its length, so that many who wait do not come back at once. */
export type Backoff = {
  /** Milliseconds until the next try. */
  next(): number
  reset(): void
}

export function createBackoff({ firstMs = 100, maxMs = 5_000, random = Math.random } = {}): Backoff {
  let length = firstMs
  return {
    next() {
      const pause = length / 2 + (length / 2) * random()
      length = Math.min(length * 2, maxMs)
      return pause
    },
    reset() {
      length = firstMs
    },
  }
}
