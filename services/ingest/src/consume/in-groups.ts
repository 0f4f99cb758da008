/**
 * Splits items, in order, into groups that are not too much together. An item that is too much by itself becomes its own
 * group.
 */
export function* inGroups<Item, Size>(
  items: Iterable<Item>,
  {
    sizeOf,
    sumOf,
    isTooMuch,
  }: {
    readonly sizeOf: (item: Item) => Size
    readonly sumOf: (a: Size, b: Size) => Size
    readonly isTooMuch: (size: Size) => boolean
  },
): Generator<Item[]> {
  let group: Item[] = []
  let size: Size | undefined
  for (const item of items) {
    const own = sizeOf(item)
    const together = size === undefined ? own : sumOf(size, own)
    if (group.length > 0 && isTooMuch(together)) {
      yield group
      group = []
      size = own
    } else {
      size = together
    }
    group.push(item)
  }
  if (group.length > 0) yield group
}
