/** Splits items, in order, into groups within all limits. An item beyond them becomes a group of its own. */
export function* inGroups<Item>(
  items: Iterable<Item>,
  limits: readonly number[],
  sizesOf: (item: Item) => readonly number[],
): Generator<Item[]> {
  let group: Item[] = []
  let sums: readonly number[] = limits.map(() => 0)
  for (const item of items) {
    const sizes = sizesOf(item)
    const together = sums.map((sum, at) => sum + (sizes[at] ?? 0))
    const isTooMuch = group.length > 0 && together.some((sum, at) => sum > (limits[at] ?? 0))
    if (isTooMuch) {
      yield group
      group = []
    }
    sums = isTooMuch ? sizes : together
    group.push(item)
  }
  if (group.length > 0) yield group
}
