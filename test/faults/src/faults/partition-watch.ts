import type { GroupOffsets } from '../oracle/group-offsets.ts'
import { pause } from '../until.ts'

const pollMs = 50

export type PartitionWatch = {
  /** Whether every partition has had a commit since that time. */
  allMovedSince(since: number): boolean
  stop(): void
}

/** Polls the broker for the times of the group's commits on each partition. */
export function watchPartitions(offsets: GroupOffsets): PartitionWatch {
  const movements = new Map<string, { offset: number; movedAt: number }>()
  let stopped = false
  const watch = async (): Promise<void> => {
    while (!stopped) {
      // The response may be as old as the request.
      const askedAt = Date.now()
      const committed = await offsets.committed().catch(() => undefined)
      for (const [place, offset] of committed ?? []) {
        const last = movements.get(place)
        if (!last) movements.set(place, { offset, movedAt: 0 })
        else if (offset > last.offset) movements.set(place, { offset, movedAt: askedAt })
      }
      await pause(pollMs)
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
