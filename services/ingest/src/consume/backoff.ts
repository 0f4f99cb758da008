/** Exponential backoff with jitter: each pause is drawn between half and all of its length. */
export type Backoff = {
  /** Milliseconds until the next attempt. */
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
