import type { GroupOffsets } from '../oracle/group-offsets.ts'
import { pause } from '../until.ts'

const lookEveryMs = 50

export type PartitionWatch = {
  /** Whether every partition has committed something since that time. */
  allMovedSince(since: number): boolean
  stop(): void
}

/** Watches when the group commits something of each partition, in the broker's books. */
export function watchPartitions(offsets: GroupOffsets): PartitionWatch {
  const movements = new Map<string, { offset: number; movedAt: number }>()
  let stopped = false
  const watch = async (): Promise<void> => {
    while (!stopped) {
      // What is seen may be as old as the question.
      const askedAt = Date.now()
      const committed = await offsets.committed().catch(() => undefined)
      for (const [place, offset] of committed ?? []) {
        const last = movements.get(place)
        if (!last) movements.set(place, { offset, movedAt: 0 })
        else if (offset > last.offset) movements.set(place, { offset, movedAt: askedAt })
      }
      await pause(lookEveryMs)
    }
  }
  void watch()
  return {
    allMovedSince: (since) => movements.size > 0 && [...movements.values()].every(({ movedAt }) => movedAt > since),
    stop() {
      stopped = true
    },
  }
}
