/** Limits the number of concurrent operations; others wait in order. */
export function createSlots(count: number) {
  const queue: (() => void)[] = []
  let free = count

  return async function inSlot<Value>(work: () => Promise<Value>): Promise<Value> {
    if (free > 0) free--
    else await new Promise<void>((resolve) => queue.push(resolve))
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else free++
    }
  }
}
