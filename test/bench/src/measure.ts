/** Runs `task` for 0 to `total - 1`, at most `inFlight` at once, and returns the rate and the latencies in milliseconds. */
export async function timeEach(total: number, inFlight: number, task: (index: number) => Promise<unknown>) {
  const times: number[] = []
  let next = 0
  const started = performance.now()
  const lane = async () => {
    for (let index = next++; index < total; index = next++) {
      const begun = performance.now()
      await task(index)
      times.push(performance.now() - begun)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  const perSecond = (total / (performance.now() - started)) * 1_000
  return { perSecond, p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** A small repeatable generator (mulberry32), so that every layout gets the same requests. */
export function randomIntegers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

export function batchesOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))
}
