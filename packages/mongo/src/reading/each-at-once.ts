/**
 * Runs `work` for each item, so many of them at a time, and returns the results in the order of the items. Keys are also looked
 * up like this, because MongoDB 6 scans a whole clustered collection for a list of keys.
 */
export async function eachAtOnce<T, Result>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const pending = items[Symbol.iterator]()
  let started = 0
  const worker = async () => {
    for (let next = pending.next(); !next.done; next = pending.next()) {
      const index = started++
      results[index] = await work(next.value)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return results
}
