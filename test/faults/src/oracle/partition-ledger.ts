/** The acknowledged records of one partition. */
export type PartitionLedger = {
  topic: string
  partition: number
  add(offset: number, n: number, isPoison: boolean): void
  /** There is nothing at this offset that anybody may read: what was aborted, or a transaction's end. */
  addVoid(offset: number): void
  isVoid(offset: number): boolean
  /** The event at an offset; `undefined` when nothing was acknowledged there yet, or nothing is there. */
  at(offset: number): { n: number; isPoison: boolean } | undefined
  acknowledged(): number
  /** One more than the highest offset. */
  end(): number
}

const nothing = -1

/** Event numbers in a typed array, as there may be millions; poison records are negative. */
export function createPartitionLedger(topic: string, partition: number): PartitionLedger {
  let events = new Int32Array(1 << 12).fill(nothing)
  let end = 0
  let count = 0

  const voids = new Set<number>()

  return {
    topic,
    partition,
    addVoid(offset) {
      if (!voids.has(offset)) count++
      voids.add(offset)
      end = Math.max(end, offset + 1)
    },
    isVoid: (offset) => voids.has(offset),
    add(offset, n, isPoison) {
      if (offset >= events.length) {
        const larger = new Int32Array(Math.max(offset + 1, events.length * 2)).fill(nothing)
        larger.set(events)
        events = larger
      }
      if (events[offset] === nothing) count++
      events[offset] = isPoison ? -2 - n : n
      end = Math.max(end, offset + 1)
    },
    at(offset) {
      const event = offset < events.length ? (events[offset] as number) : nothing
      if (event === nothing) return undefined
      return event < nothing ? { n: -2 - event, isPoison: true } : { n: event, isPoison: false }
    },
    acknowledged: () => count,
    end: () => end,
  }
}
