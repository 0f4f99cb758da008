/** Splits items into groups of at most `bytes`; a larger item is its own group. */
export function* splitBySize<T>(
  items: readonly T[],
  bytes: number,
  sizeOf: (item: T) => number,
): Generator<readonly T[], void, void> {
  let start = 0
  let sum = 0
  for (let index = 0; index < items.length; index++) {
    const size = sizeOf(items[index] as T)
    if (index > start && sum + size > bytes) {
      yield items.slice(start, index)
      start = index
      sum = 0
    }
    sum += size
  }
  if (start < items.length) yield items.slice(start)
}
