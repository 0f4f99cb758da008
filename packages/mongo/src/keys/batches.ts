/** The sum of the sizes in a batch is at most `bytes`; a larger item is its own batch. */
type Bytes<T> = { readonly bytes: number; readonly sizeOf: (item: T) => number }

/** Collects items; yields the batch before an item that no longer fits. */
function createBatch<T>(count: number, limit: Bytes<T> | undefined) {
  let batch: T[] = []
  let sum = 0
  return {
    add(item: T): T[][] {
      const size = limit?.sizeOf(item) ?? 0
      const isFull = batch.length === count || (limit !== undefined && sum + size > limit.bytes)
      const full = isFull && batch.length > 0 ? [batch] : []
      if (full.length > 0) [batch, sum] = [[], 0]
      batch.push(item)
      sum += size
      return full
    },
    rest: () => (batch.length > 0 ? [batch] : []),
  }
}

/** Splits items into batches of at most `count`, in order. */
export function* inBatches<T>(items: Iterable<T>, count: number, limit?: Bytes<T>): Generator<T[], void, void> {
  const batch = createBatch(count, limit)
  for (const item of items) yield* batch.add(item)
  yield* batch.rest()
}

/** Divides items that are still being read in the same way. */
export async function* readInBatches<T>(
  items: AsyncIterable<T> | Iterable<T>,
  count: number,
  limit?: Bytes<T>,
): AsyncGenerator<T[], void, void> {
  const batch = createBatch(count, limit)
  for await (const item of items) yield* batch.add(item)
  yield* batch.rest()
}
